/** Characters after which a text without the end of a sentence is divided all the same. */
const LONGEST_SENTENCE = 400;

/** Divides a text into sentences while it arrives. */
export class Sentences {
  private readonly segmenter: Intl.Segmenter;
  private rest = '';

  /** @param language_code such as `en` or `pt-BR`; an unknown one gets the rules of no particular language */
  constructor(language_code: string) {
    this.segmenter = new Intl.Segmenter(localeOf(language_code), { granularity: 'sentence' });
  }

  /** @returns the sentences that are complete now: each but the last, for the last may go on */
  push(text: string): string[] {
    this.rest += text;
    const segments = [...this.segmenter.segment(this.rest)].map(({ segment }) => segment);
    this.rest = segments.pop() ?? '';
    const complete = segments.flatMap(divided);
    if (this.rest.length > LONGEST_SENTENCE) {
      const parts = divided(this.rest);
      this.rest = parts.pop()!;
      complete.push(...parts);
    }
    return complete;
  }

  /** @returns what is left once the text has ended */
  end(): string[] {
    const last = divided(this.rest);
    this.rest = '';
    return last;
  }
}

/** A long sentence in parts, each ending at a space where it has one. */
function divided(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > LONGEST_SENTENCE) {
    const space = rest.lastIndexOf(' ', LONGEST_SENTENCE - 1) + 1;
    const end = space > LONGEST_SENTENCE / 2 ? space : beforeHalfCharacter(rest, LONGEST_SENTENCE);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest === '' ? parts : [...parts, rest];
}

/** An index that does not divide a surrogate pair. */
function beforeHalfCharacter(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end;
}

function localeOf(language_code: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language_code)[0];
  } catch {
    return undefined;
  }
}
