import { rewritten, Rewrites, Word, wordsOf } from './words.js';

interface LiteralPart {
  readonly kind: 'word' | 'stem';
  readonly text: string;
}

type Part =
  | LiteralPart
  | { readonly kind: 'gap' }
  | { readonly kind: 'slot'; readonly name: string; readonly most: number };

/** A phrase of a script, ready to be looked for. */
export interface Phrase {
  readonly parts: readonly Part[];
  readonly atStart: boolean;
  readonly atEnd: boolean;
  /** How many words it names, and a half for each end that it is tied to: the more, the better a match. */
  readonly weight: number;
  /** What must stand, or must not stand, somewhere around it. */
  readonly around?: readonly Around[];
}

interface Around {
  readonly isMissing: boolean;
  readonly any: readonly Phrase[];
}

/** What `{slots}` of a phrase caught, as the user wrote it. */
export type Slots = Readonly<Record<string, string>>;

const GAP_WORDS = 4;
const SLOT_WORDS = 3;
const SLOT_CHARACTERS = 40;
const MOST_PARTS = 16;
const MOST_OPEN_PARTS = 3;
const MOST_ALTERNATIVES = 200;
/** So many words before and behind its first word count as around a phrase. */
const AROUND_WORDS = 15;
const MOST_WORD_PARTS = 20_000;
const wordParts = new Map<string, LiteralPart>();
const TOKEN = /\{([a-z][a-z_]*)(?::([1-9]))?\}|\*|[^\s*{}]+\*?/g;

/**
 * Compiles a phrase, which is not a regular expression: see the format in `format/script-file.ts`. Open parts are few and
 * bounded, so that no request, however made, costs more than a known number of steps.
 *
 * @throws Error saying what is wrong with the phrase
 */
export function phrasesOf(source: string, rewrites: Rewrites): Phrase[] {
  const [first, ...others] = source.trim().split(' & ');
  const phrases = alternativesOf(first!).map((text) => compile(text, rewrites));
  if (others.length === 0) return phrases;
  const around = others.map((text) => ({
    isMissing: text.startsWith('!'),
    any: alternativesOf(text.replace('!', '')).map((one) => compile(one.trim(), rewrites)),
  }));
  const more = around.filter(({ isMissing }) => !isMissing).length;
  return phrases.map(({ parts, atStart, atEnd, weight }) => ({ parts, atStart, atEnd, weight: weight + more, around }));
}

/** Whether one of the phrases stands anywhere in the words. */
export function standsIn(
  phrases: readonly Phrase[],
  words: readonly Word[],
  source: string,
  stops: ReadonlySet<string>,
): boolean {
  return words.some((_, at) => phrases.some((phrase) => matchAt(phrase, words, at, source, stops) !== undefined));
}

export function hasSlot({ parts }: Phrase): boolean {
  return parts.some((part) => part.kind === 'slot');
}

export function alternativesOf(source: string): string[] {
  const start = source.indexOf('(');
  const end = closingOf(source, start);
  if (start < 0 || end < 0) return [source];
  const choices = choicesOf(source.slice(start + 1, end)).flatMap(alternativesOf);
  const rests = alternativesOf(source.slice(end + 1));
  if (choices.length * rests.length > MOST_ALTERNATIVES) throw new Error('has too many alternatives');
  return choices.flatMap((choice) => rests.map((rest) => source.slice(0, start) + choice + rest));
}

/** Where the group ends that begins at a place. */
function closingOf(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at >= 0 && at < source.length; at++) {
    if (source[at] === '(') depth++;
    else if (source[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

/** What stands between the bars of a group, those of groups in it aside. */
function choicesOf(group: string): string[] {
  const choices = [''];
  let depth = 0;
  for (const letter of group) {
    if (letter === '(') depth++;
    else if (letter === ')') depth--;
    if (letter === '|' && depth === 0) choices.push('');
    else choices[choices.length - 1] += letter;
  }
  return choices;
}

function compile(text: string, rewrites: Rewrites): Phrase {
  const atStart = text.startsWith('^');
  const atEnd = text.endsWith('$');
  const body = text.slice(atStart ? 1 : 0, atEnd ? -1 : undefined);
  const parts: Part[] = [];
  for (const [token, slot, most] of body.matchAll(TOKEN)) {
    if (slot)
      parts.push({
        kind: 'slot',
        name: slot,
        most: Number(most ?? SLOT_WORDS),
      });
    else if (token === '*') parts.push({ kind: 'gap' });
    else {
      const words = rewritten(wordsOf(token, MOST_PARTS), token.endsWith('*') ? new Map() : rewrites);
      parts.push(...words.map((word) => wordPart(word.text)));
      const last = words.at(-1);
      if (token.endsWith('*') && last) {
        if (last.solo) parts.push({ kind: 'gap' });
        else parts[parts.length - 1] = { kind: 'stem', text: last.text };
      }
    }
  }
  const open = parts.filter((part) => part.kind === 'gap' || part.kind === 'slot').length;
  if (parts[0]?.kind !== 'word' && parts[0]?.kind !== 'stem') throw new Error('must start with a word');
  if (parts.at(-1)?.kind === 'gap') throw new Error('must not end with a gap');
  if (parts.length > MOST_PARTS || open > MOST_OPEN_PARTS)
    throw new Error('is too long, or has too many gaps and slots');
  return {
    // A copy has no room to grow: there are tens of thousands of phrases.
    parts: parts.slice(),
    atStart,
    atEnd,
    weight: parts.length - open + (atStart ? 0.5 : 0) + (atEnd ? 0.5 : 0),
    around: undefined,
  };
}

/** One object for each word, which stands in many phrases. */
function wordPart(text: string): LiteralPart {
  let part = wordParts.get(text);
  if (!part) {
    part = { kind: 'word', text };
    if (wordParts.size < MOST_WORD_PARTS) wordParts.set(text, part);
  }
  return part;
}

/** Adds the words and stems that a phrase, and what stands around it, names. */
export function addNamed({ parts, around = [] }: Phrase, words: Set<string>): void {
  for (const part of parts) if (isWord(part)) words.add(part.text);
  for (const { isMissing, any } of around) if (!isMissing) for (const phrase of any) addNamed(phrase, words);
}

function isWord(part: Part): part is LiteralPart {
  return part.kind === 'word' || part.kind === 'stem';
}

function says(word: Word | undefined, part: LiteralPart): boolean {
  return word !== undefined && (part.kind === 'word' ? word.text === part.text : word.text.startsWith(part.text));
}

/** Whether the phrase stands in the words from `at` on, and what its slots catch there. */
export function matchAt(
  phrase: Phrase,
  words: readonly Word[],
  at: number,
  source: string,
  stops: ReadonlySet<string>,
): Slots | undefined {
  if (phrase.atStart && at !== 0) return undefined;
  // Most phrases fall at their first words, before anything is made.
  let plain = 0;
  for (let part = phrase.parts[0]; part && isWord(part); part = phrase.parts[++plain]) {
    if (!says(words[at + plain], part)) return undefined;
  }
  return matchRest(phrase, words, at, source, stops, plain);
}

/** @param plain how many of its parts are words that stand there */
function matchRest(
  phrase: Phrase,
  words: readonly Word[],
  at: number,
  source: string,
  stops: ReadonlySet<string>,
  plain: number,
): Slots | undefined {
  const slots: Record<string, string> = {};
  return from(plain, at + plain) && isSurrounded() ? slots : undefined;

  function isSurrounded(): boolean {
    if (!phrase.around) return true;
    const near = words.slice(Math.max(0, at - AROUND_WORDS), at + AROUND_WORDS);
    return phrase.around.every(({ any, isMissing }) => standsIn(any, near, source, stops) !== isMissing);
  }

  function from(index: number, place: number): boolean {
    const part = phrase.parts[index];
    if (!part) return !phrase.atEnd || place === words.length;
    const word = words[place];
    if (part.kind === 'gap') {
      for (let skip = 0; skip <= GAP_WORDS && place + skip <= words.length; skip++)
        if (from(index + 1, place + skip)) return true;
      return false;
    }
    if (!word) return false;
    if (part.kind === 'slot') {
      for (const length of slotLengths(part.most, index === phrase.parts.length - 1, place)) {
        const value = source.slice(word.start, words[place + length - 1]!.end);
        if (value.length > SLOT_CHARACTERS) continue;
        slots[part.name] = value;
        if (from(index + 1, place + length)) return true;
      }
      return false;
    }
    return says(word, part) && from(index + 1, place + 1);
  }

  // A slot ends before a stop word and with its clause. One that ends its phrase takes all of that if it is short
  // enough, else one word: "my name is Anna Maria" but "my name is Anna nice to meet you".
  function slotLengths(most: number, last: boolean, place: number): number[] {
    const { clause, solo } = words[place]!;
    const lengths: number[] = [];
    let next = place;
    while (lengths.length <= most && words[next]?.clause === clause && !stops.has(words[next]!.text)) {
      do next++;
      while (words[next] && !words[next]!.solo && !/\s/.test(source.slice(words[next - 1]!.start, words[next]!.start)));
      lengths.push(next - place);
    }
    if (!last) return lengths.slice(0, most);
    return lengths.slice(lengths.length <= most ? -1 : solo ? 1 : 0).slice(0, 1);
  }
}
