import { Rule } from './rules.js';

const INTERJECTIONS = new Set(
  'yes no laugh greeting good_morning good_night thanks wow really sorry unsure fine compliment more bye never_mind understood ok_good crazy_comment agree i_see reaction_exactly'.split(
    ' ',
  ),
);

/** Rules for words that mean nothing without what they reply to. */
export function isReply({ id }: Rule): boolean {
  return ['yes', 'no', 'more', 'unsure', 'why', 'laugh', 'fine', 'happy', 'sad', 'tired', 'stressed'].includes(id);
}

/** Rules for what is said beside the point of a request, before it or behind it. */
export function isInterjection({ id }: Rule): boolean {
  return INTERJECTIONS.has(id);
}
