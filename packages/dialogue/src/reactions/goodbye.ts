import { Reply } from '../turn/choose.js';
import { Match, Rule } from '../match/rules.js';
import { Turn } from '../turn/turn.js';
import { Word } from '../text/words.js';

const QUESTION_MARK = /[?？؟]/u;
/** In words. */
const MOST_BEHIND = 3;
/** In words: who goes and gives thanks tells little else. */
const LONG = 30;
/** From this priority on what is told goes before a goodbye: grief. */
const WEIGHS = 88;
/** May stand before a goodbye in the same clause, in any language. */
const LINKS = new Set(
  (
    'and so then ok okay well now right alright anyway thanks thank you cheers bed cool great lol haha hm hmm aw x ' +
    'und dann also so na jetzt nun danke dank gut super alles klar schon ' +
    'y pues bueno vale venga entonces gracias ya hala ale nada'
  ).split(' '),
);
/** Tell of a goodbye, or name one, in any language: "we never said goodbye", "eine gute Nacht". */
const NAMING = new Set(
  (
    'say said saying says never no a an the my her his had have wave waved kiss hard ' +
    'sagen sagt sagte gesagt eine einen keine keinen meine hatte zum nie ' +
    'decir dije dijo digo dicho un una el la mi nunca tuve'
  ).split(' '),
);

/**
 * What is said to a goodbye, whatever stands before it: "I'll make my pancakes now, good night Mira", "gotta get the kids to
 * bed, thanks". Phrases of the set `parting` end a talk wherever they stand near the end, those of `parting_open` only
 * where a clause begins; who is `leaving` goes if that is said with thanks.
 */
export function goodbyeReply(turn: Turn): Reply | undefined {
  const { knowledge, whole, request } = turn;
  const { words, text } = whole;
  // "Ciao" greets, too.
  const isFirst = turn.said.history.length === 0 && words.length < 2;
  if (QUESTION_MARK.test(request) || words.length === 0 || isFirst) return undefined;
  const isNight = isSaid(turn, 'parting_night');
  const leaves =
    words.length <= LONG && knowledge.set('leaving').best(words, text) && knowledge.set('thanks').best(words, text);
  if (!isNight && !isSaid(turn, 'parting') && !isSaid(turn, 'parting_open') && !leaves) return undefined;
  const told = knowledge.acknowledge.best(words, text);
  if (told && told.rule.priority >= WEIGHS) return undefined;
  const rule: Rule | undefined = (isNight ? knowledge.ruleOf('good_night') : undefined) ?? knowledge.ruleOf('bye');
  return rule && turn.replyFrom(rule);
}

/** Whether a phrase of a set stands near the end, and where a part begins if it must. */
function isSaid({ knowledge, whole }: Turn, name: string): boolean {
  const { words, text } = whole;
  const set = knowledge.set(name);
  const ends = (match: Match | undefined, from: number) =>
    match !== undefined && from + match.at + Math.floor(match.weight) >= words.length - MOST_BEHIND;
  const isOpen = name !== 'parting';
  return words.some(({ clause }, at) => {
    const before = words[at - 1];
    if (isOpen ? !begins(words, at) : before?.clause === clause && NAMING.has(before.text)) return false;
    const match = set.best(words.slice(at), text);
    // "See you, the doorbell rings."
    const isFirst = at === 0 && match !== undefined && words[Math.floor(match.weight)]?.clause !== words[0]!.clause;
    return match?.at === 0 && (ends(match, at) || (isOpen && isFirst));
  });
}

function begins(words: readonly Word[], at: number): boolean {
  const [before, word] = [words[at - 1], words[at]!];
  return before === undefined || before.clause !== word.clause || LINKS.has(before.text);
}
