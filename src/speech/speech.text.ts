/** Characters of the longest speech, about five minutes. */
export const SPOKEN_LIMIT = 4000;

/**
 * An answer as it should be read out: without addresses, pictures and the marks of Markdown, and cut after a sentence
 * where it is too long.
 */
export function spokenText(text: string): string {
  const plain = text
    .slice(0, 4 * SPOKEN_LIMIT)
    .replace(/\]\([^()\s]*\)/g, '')
    .replace(/\bhttps?:\/\/\S+/gi, ' ')
    .replace(/[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1f3fb}-\u{1f3ff}\u200d\ufe0f\u20e3]/gu, ' ')
    .replace(/[\p{Cc}\p{Co}\p{Cs}]+/gu, ' ')
    // Brackets in pairs would begin phoneme codes.
    .replace(/[*_`#|~<>[\]{}\\^]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(plain)) return '';
  return plain.length <= SPOKEN_LIMIT ? plain : firstSentences(plain);
}

function firstSentences(text: string): string {
  const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  let end = 0;
  for (const { index, segment } of sentences.segment(text.slice(0, SPOKEN_LIMIT + 1))) {
    if (index + segment.length > SPOKEN_LIMIT) break;
    end = index + segment.length;
  }
  const cut = end || text.lastIndexOf(' ', SPOKEN_LIMIT);
  return text.slice(0, cut > 0 ? cut : SPOKEN_LIMIT).trim();
}
