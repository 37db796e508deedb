/** Maximum length of a sentence in characters; longer text is split anyway. */
const LONGEST_SENTENCE = 400;

/** Splits a text into sentences while it arrives. */
export class Sentences {
  private readonly segmenter: Intl.Segmenter;
  private rest = '';

  /** @param language_code such as `en` or `pt-BR`; an unknown one gets language-neutral rules */
  constructor(language_code: string) {
    this.segmenter = new Intl.Segmenter(localeOf(language_code), { granularity: 'sentence' });
  }

  /** @returns the complete sentences: all but the last, which may continue */
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

  /** @returns the rest after the end of the text */
  end(): string[] {
    const last = divided(this.rest);
    this.rest = '';
    return last;
  }
}

/** Splits a long sentence, at spaces if it has any. */
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

/** An index that does not split a surrogate pair. */
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
