/** Backchannels (listeners' sounds of attention) in the supported languages. */
const FILLERS = new Set(
  (
    'a ah aha ahem eh ehm er erm ha hah haha hm hmm hmmm huh m mh mhm mm mmhm mmm mmhmm oh ooh uh uhh uhm uhhuh um umm ' +
    'yeah yep yes ok okay right sure ja jo genau si sí vale claro ajá oui ouais sim'
  ).split(' '),
);

/** Whether speech has content, beyond backchannels. */
export function isMoreThanBackchannel(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.some((word) => !FILLERS.has(word));
}
