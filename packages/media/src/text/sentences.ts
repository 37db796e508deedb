import { goesOn } from './abbreviations.js';

/** Maximum length of a sentence in characters; longer text is split anyway. */
const LONGEST_SENTENCE = 400;
/** Maximum length of a code block or formula that is kept together, in characters. */
const LONGEST_BLOCK = 20_000;
/** The start of a code block or a displayed formula, of which nothing is spoken. */
const BLOCK = /^[ \t]{0,3}(?:(`{3,})[^`\n]*$|(~{3,})|\$\$)/m;

/** Splits a text into sentences while it arrives. Code blocks and displayed formulas stay whole. */
export class Sentences {
  private readonly segmenter: Intl.Segmenter;
  private readonly language: string;
  private rest = '';

  /** @param language_code such as `en`, `pt-BR` or `cmn`; an unknown one gets language-neutral rules */
  constructor(language_code: string) {
    const locale = localeOf(language_code);
    this.segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
    this.language = languageOf(locale);
  }

  /** @returns the complete sentences: all but the last, which may continue */
  push(text: string): string[] {
    this.rest += text;
    return this.splitSentences(false);
  }

  /** @returns the rest after the end of the text */
  flush(): string[] {
    return this.splitSentences(true);
  }

  private splitSentences(isOver: boolean): string[] {
    const complete: string[] = [];
    for (;;) {
      const block = BLOCK.exec(this.rest);
      if (!block) break;
      const end = endOfBlock(this.rest, block);
      const isLong = this.rest.length - block.index > LONGEST_BLOCK;
      if (end === undefined && !isOver && !isLong) {
        // What stands before it is complete.
        complete.push(...this.split(this.rest.slice(0, block.index), true));
        this.rest = this.rest.slice(block.index);
        return complete;
      }
      const stop = end ?? this.rest.length;
      complete.push(...this.split(this.rest.slice(0, block.index), true), this.rest.slice(block.index, stop));
      this.rest = this.rest.slice(stop);
    }
    const sentences = this.split(this.rest, isOver);
    this.rest = isOver ? '' : (sentences.pop() ?? '');
    return [...complete, ...sentences];
  }

  /** @param isOver whether the last sentence is complete */
  private split(text: string, isOver: boolean): string[] {
    const segments = [...this.segmenter.segment(text)].map(({ segment }) => segment);
    const sentences: string[] = [];
    for (const [index, segment] of segments.entries()) {
      const before = sentences.at(-1);
      const after = segment + (segments[index + 1] ?? '');
      const isLast = isOver || index + 1 < segments.length - 1;
      if (before !== undefined && goesOn(before, after, this.language, isLast) !== false)
        sentences[sentences.length - 1] = before + segment;
      else sentences.push(segment);
    }
    return sentences.flatMap(divided);
  }
}

/** The sentences at the start of a text that together have at most `limit` characters; without any, its words. */
export function firstSentences(text: string, limit: number, language_code = 'en'): string {
  const locale = localeOf(language_code);
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter(locale, { granularity: 'sentence' }).segment(
    text.slice(0, limit + 1),
  )) {
    const next = index + segment.length;
    if (next > limit) break;
    if (goesOn(text.slice(end, next), text.slice(next), languageOf(locale), true) !== true) end = next;
  }
  const cut = end || text.lastIndexOf(' ', limit);
  return text.slice(0, cut > 0 ? cut : limit).trimEnd();
}

/** Where a block ends, with the rest of its last line; undefined if it does not end yet. */
function endOfBlock(text: string, { index, 0: start, 1: ticks, 2: tildes }: RegExpExecArray): number | undefined {
  const from = index + start.length;
  const fence = ticks ?? tildes;
  if (fence === undefined) {
    const end = text.indexOf('$$', from);
    return end < 0 ? undefined : end + 2;
  }
  for (let at = text.indexOf('\n', from) + 1; at > 0;) {
    const next = text.indexOf('\n', at) + 1;
    const line = text.slice(at, next).trim();
    if (next > 0 && line.startsWith(fence) && line.replaceAll(fence[0]!, '') === '') return next;
    at = next;
  }
  return undefined;
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

/** In a canonical locale, `cmn` is `zh`. */
function languageOf(locale = ''): string {
  return locale.split('-', 1)[0]!;
}
