/** Maximum length of a speech in characters, about five minutes. */
export const SPOKEN_LIMIT = 4000;

/** A text as it is spoken, mapped to its source. */
export interface SpokenText {
  readonly text: string;
  /** For each UTF-16 unit of `text`, its index in the original. */
  readonly positions: readonly number[];
}

/**
 * Placeholder for dropped characters, so that all others keep their positions. Not in the classes that become spaces.
 */
const OMITTED = '\uffff';

/**
 * An answer as it should be spoken: without URLs, images and Markdown syntax, and truncated after a sentence if it is
 * too long.
 */
export function spokenText(text: string): string {
  return spokenFrom(text).text;
}

/** {@link spokenText} with the source position of each character. */
export function spokenFrom(text: string): SpokenText {
  const blank = (part: string) => ' '.repeat(part.length);
  const masked = text
    .slice(0, 4 * SPOKEN_LIMIT)
    .replace(/\]\([^()\s]*\)/g, (part) => OMITTED.repeat(part.length))
    .replace(/<\/?[a-z][^<>]{0,1000}>/gi, blank)
    .replace(/\bhttps?:\/\/\S+/gi, blank)
    .replace(/[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1f3fb}-\u{1f3ff}\u200d\ufe0f\u20e3]/gu, blank)
    .replace(/[\p{Cc}\p{Co}\p{Cs}]+/gu, blank)
    // Double brackets would start phoneme codes.
    .replace(/[*_`#|~<>[\]{}\\^]+/g, blank)
    .replace(/\s/g, ' ');
  const positions: number[] = [];
  const kept: string[] = [];
  for (let at = 0; at < masked.length; at++) {
    const unit = masked[at]!;
    if (unit === OMITTED || (unit === ' ' && (kept.at(-1) ?? ' ') === ' ')) continue;
    kept.push(unit);
    positions.push(at);
  }
  const plain = kept.join('').trimEnd();
  if (!/[\p{L}\p{N}]/u.test(plain)) return { text: '', positions: [] };
  const spoken = plain.length <= SPOKEN_LIMIT ? plain : firstSentences(plain);
  return { text: spoken, positions: positions.slice(0, spoken.length) };
}

function firstSentences(text: string): string {
  const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  let end = 0;
  for (const { index, segment } of sentences.segment(text.slice(0, SPOKEN_LIMIT + 1))) {
    if (index + segment.length > SPOKEN_LIMIT) break;
    end = index + segment.length;
  }
  const cut = end || text.lastIndexOf(' ', SPOKEN_LIMIT);
  return text.slice(0, cut > 0 ? cut : SPOKEN_LIMIT).trimEnd();
}
