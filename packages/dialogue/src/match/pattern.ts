import { FIRST_NAMES } from '../text/first-names.js';
import { rewritten, Rewrites, Word, wordsOf } from '../text/words.js';

type Node =
  | { readonly kind: 'word' | 'stem'; readonly text: string }
  | { readonly kind: 'gap' | 'start' | 'end' }
  | { readonly kind: 'slot'; readonly name: string; readonly most: number }
  | { readonly kind: 'choice'; readonly any: readonly Sequence[] };
type Sequence = readonly Node[];

/** What must stand, or must not stand, somewhere around a pattern. */
interface Around {
  readonly isMissing: boolean;
  readonly any: Sequence;
}

/** A phrase of a script, ready to be looked for. */
export interface Pattern {
  readonly nodes: Sequence;
  readonly around: readonly Around[];
}

/** What `{slots}` of a pattern caught, as the user wrote it. */
export type Slots = Readonly<Record<string, string>>;

/** A pattern that stands in a text: how many words of it, with a half for each end that it is tied to, and its slots. */
export interface Found {
  readonly weight: number;
  readonly slots: Slots;
}

const GAP_WORDS = 4;
const SLOT_WORDS = 3;
const SLOT_CHARACTERS = 40;
const MOST_NODES = 16;
const MOST_OPEN = 3;
const MOST_DEPTH = 6;
/** So many words before and behind its first word count as around a pattern. */
const AROUND_WORDS = 15;
/** A look for a pattern at one place ends after so many comparisons, however it and the text are made. */
const MOST_STEPS = 20_000;
const TOKEN = /\{([a-z][a-z_]*)(?::([1-9]))?\}|\*|[\^$]|[^\s*{}^$]+\*?/g;
/** Already in one spelling. */
const PLAIN = /^[a-z]+$/;
const DRAWN_OUT = /([a-z])\1\1/;
const isPlain = (text: string) => PLAIN.test(text) && !DRAWN_OUT.test(text);
/** The words of a phrase, whatever else is written in it. */
const LITERAL = /[^\s*{}^$()|!:&]+/g;
/** A slot of this name takes first names only, and catches a `name`. */
const FIRST_NAME = 'first_name';

/**
 * Compiles a phrase, which is not a regular expression: see the format in `format/script-file.ts`. Open parts are few and
 * bounded, so that no request, however made, costs more than a known number of steps.
 *
 * @throws Error saying what is wrong with the phrase
 */
export function patternOf(source: string, rewrites: Rewrites): Pattern {
  const [first, ...others] = source.trim().split(' & ');
  const nodes = sequenceOf(first!, rewrites);
  const open = (all: Sequence): number =>
    all.reduce((sum, node) => {
      if (node.kind === 'choice') return sum + Math.max(...node.any.map(open));
      return sum + (node.kind === 'gap' || node.kind === 'slot' ? 1 : 0);
    }, 0);
  if (!firstsOf(nodes)?.isBound) throw new Error('must start with a word');
  if (nodes.at(-1)?.kind === 'gap') throw new Error('must not end with a gap');
  if (nodes.length > MOST_NODES || open(nodes) > MOST_OPEN)
    throw new Error('is too long, or has too many gaps and slots');
  const around = others.map((text) => ({
    isMissing: text.startsWith('!'),
    any: sequenceOf(text.replace('!', ''), rewrites),
  }));
  return { nodes, around };
}

/**
 * A phrase that is compiled when it is needed first: of those of danger, most are in no conversation. What it begins with
 * and the words that it names are read without that.
 */
export class LazyPattern {
  private compiled?: Pattern;

  constructor(
    private readonly source: string,
    private readonly rewrites: Rewrites,
  ) {}

  /** @throws Error saying what is wrong with the phrase */
  get pattern(): Pattern {
    return (this.compiled ??= patternOf(this.source, this.rewrites));
  }

  /** The words and stems that it may begin with. */
  get firsts(): Firsts {
    const [phrase] = this.source.trim().split(' & ', 1);
    const simple = simpleFirsts(phrase!, this.rewrites);
    if (simple) return simple;
    for (let end = tokenEnd(phrase!, 0); ; end = tokenEnd(phrase!, end + 1)) {
      const firsts = firstsOf(sequenceOf(phrase!.slice(0, end), this.rewrites));
      if (firsts && (firsts.isBound || end >= phrase!.length)) return firsts;
      if (end >= phrase!.length) throw new Error('must start with a word');
    }
  }

  /** The words and stems that it, and what must stand around it, names. */
  get words(): readonly string[] {
    const parts = this.source.split(' & ').filter((part) => !part.startsWith('!'));
    return parts.flatMap((part) => (part.match(LITERAL) ?? []).flatMap((token) => literalsOf(token, this.rewrites)));
  }
}

interface Firsts {
  readonly words: Iterable<string>;
  readonly stems: Iterable<string>;
  /** Whether it is found only behind one of those. */
  readonly isBound: boolean;
}

/** As below, of a phrase that begins with one word, or with a group of plain words: nearly all do. */
function simpleFirsts(phrase: string, rewrites: Rewrites): Firsts | undefined {
  const isGroup = phrase[0] === '(';
  const end = phrase.indexOf(isGroup ? ')' : ' ');
  const token = phrase.slice(isGroup ? 1 : 0, end < 0 ? phrase.length : end);
  const next = phrase[end + 1];
  if (token.includes('(') || (isGroup && next !== undefined && next !== ' ')) return undefined;
  const words: string[] = [];
  const stems: string[] = [];
  for (const choice of token.split('|')) {
    const space = choice.indexOf(' ');
    const first = space < 0 ? choice : choice.slice(0, space);
    const isStem = first.endsWith('*');
    const text = isStem ? first.slice(0, -1) : first;
    if (!isPlain(text)) return undefined;
    if (isStem) stems.push(text);
    else words.push(rewrites.get(text)?.[0] ?? text);
  }
  return { words, stems, isBound: true };
}

/** The words and stems that a sequence may begin with; undefined if it may begin with anything. */
function firstsOf(nodes: Sequence): Firsts | undefined {
  const words = new Set<string>();
  const stems = new Set<string>();
  /** Whether the sequence is found only behind one of those. */
  const isBound = (all: Sequence): boolean | undefined => {
    for (const node of all) {
      if (node.kind === 'gap' || node.kind === 'slot') return undefined;
      if (node.kind === 'word' || node.kind === 'stem') {
        (node.kind === 'word' ? words : stems).add(node.text);
        return true;
      }
      if (node.kind !== 'choice') continue;
      const bound = node.any.map(isBound);
      if (bound.includes(undefined)) return undefined;
      if (!bound.includes(false)) return true;
    }
    return false;
  };
  const bound = isBound(nodes);
  return bound === undefined ? undefined : { words, stems, isBound: bound };
}

/** The names of the slots of a pattern. */
export function slotsIn({ nodes }: Pattern): ReadonlySet<string> {
  const slots = new Set<string>();
  const visit = (all: Sequence) => {
    for (const node of all) {
      if (node.kind === 'choice') node.any.forEach(visit);
      else if (node.kind === 'slot') slots.add(node.name === FIRST_NAME ? 'name' : node.name);
    }
  };
  visit(nodes);
  return slots;
}

/** Whether a pattern stands in the words from `at` on, and what its slots catch there: the longest way to read it. */
export function findAt(
  { nodes, around }: Pattern,
  words: readonly Word[],
  at: number,
  source: string,
  stops: ReadonlySet<string>,
): Found | undefined {
  const found = new Search(words, source, stops).longest(nodes, at);
  if (!found || around.length === 0) return found;
  const near = words.slice(Math.max(0, at - AROUND_WORDS), at + AROUND_WORDS);
  const search = new Search(near, source, stops);
  const isThere = around.every(({ any, isMissing }) => search.standsIn(any) !== isMissing);
  const more = around.filter(({ isMissing }) => !isMissing).length;
  return isThere ? { ...found, weight: found.weight + more } : undefined;
}

/** Whether one of some patterns stands anywhere in the words. */
export function standsIn(
  patterns: readonly LazyPattern[],
  words: readonly Word[],
  source: string,
  stops: ReadonlySet<string>,
): boolean {
  return patterns.some(({ pattern }) => words.some((_, at) => findAt(pattern, words, at, source, stops) !== undefined));
}

/** Goes through the words as a pattern says. */
class Search {
  private steps = 0;
  private slots: Record<string, string> = {};

  constructor(
    private readonly words: readonly Word[],
    private readonly source: string,
    private readonly stops: ReadonlySet<string>,
  ) {}

  longest(nodes: Sequence, at: number): Found | undefined {
    let best: Found | undefined;
    this.walk(nodes, 0, at, 0, true, (_, weight) => {
      if (!best || weight > best.weight) best = { weight, slots: { ...this.slots } };
      return false;
    });
    return best;
  }

  standsIn(nodes: Sequence): boolean {
    return this.words.some((_, at) => this.walk(nodes, 0, at, 0, true, () => true));
  }

  /**
   * @param isTail whether the pattern ends where the sequence does
   * @param next is told of each place where the sequence may end; true ends the search
   */
  private walk(
    nodes: Sequence,
    index: number,
    place: number,
    weight: number,
    isTail: boolean,
    next: (place: number, weight: number) => boolean,
  ): boolean {
    const node = nodes[index];
    if (!node) return next(place, weight);
    if (++this.steps > MOST_STEPS) return false;
    const go = (to: number, more: number) => this.walk(nodes, index + 1, to, weight + more, isTail, next);
    switch (node.kind) {
      case 'word':
        return this.words[place]?.text === node.text && go(place + 1, 1);
      case 'stem':
        return this.words[place]?.text.startsWith(node.text) === true && go(place + 1, 1);
      case 'start':
        return place === 0 && go(place, 0.5);
      case 'end':
        return place === this.words.length && go(place, 0.5);
      case 'gap':
        for (let skip = 0; skip <= GAP_WORDS && place + skip <= this.words.length; skip++)
          if (go(place + skip, 0)) return true;
        return false;
      case 'choice': {
        const isLast = isTail && index === nodes.length - 1;
        const { any } = node;
        return any.some((one) =>
          this.walk(one, 0, place, 0, isLast, (to, more) =>
            this.walk(nodes, index + 1, to, weight + more, isTail, next),
          ),
        );
      }
      case 'slot': {
        const isLast = isTail && nodes.slice(index + 1).every(({ kind }) => kind === 'end');
        return this.slotLengths(node.most, isLast, place).some((length) => {
          const value = this.source.slice(this.words[place]!.start, this.words[place + length - 1]!.end);
          const name = node.name === FIRST_NAME ? 'name' : node.name;
          if (value.length > SLOT_CHARACTERS || (name === 'name' && /\p{N}/u.test(value))) return false;
          if (node.name === FIRST_NAME && !FIRST_NAMES.has(this.words[place]!.text)) return false;
          this.slots[name] = value;
          return go(place + length, 0);
        });
      }
    }
  }

  // A slot ends before a stop word and with its clause. One that ends its pattern takes all of that if it is short
  // enough, else one word: "my name is Anna Maria" but "my name is Anna nice to meet you".
  private slotLengths(most: number, isLast: boolean, place: number): number[] {
    const { words, source, stops } = this;
    if (!words[place]) return [];
    const { clause, solo } = words[place];
    const lengths: number[] = [];
    let next = place;
    while (lengths.length <= most && words[next]?.clause === clause && !stops.has(words[next]!.text)) {
      do next++;
      while (words[next] && !words[next]!.solo && !/\s/.test(source.slice(words[next - 1]!.start, words[next]!.start)));
      lengths.push(next - place);
    }
    if (!isLast) return lengths.slice(0, most);
    return lengths.slice(lengths.length <= most ? -1 : solo ? 1 : 0).slice(0, 1);
  }
}

function sequenceOf(text: string, rewrites: Rewrites, depth = 0): Sequence {
  if (depth > MOST_DEPTH) throw new Error('has too many groups within each other');
  return tokensOf(text).flatMap((token): Sequence => {
    if (!token.includes('(')) return plainNodes(token, rewrites);
    const group = token.startsWith('(') && closingOf(token, 0) === token.length - 1;
    const choices = group ? choicesOf(token.slice(1, -1)) : alternativesOf(token);
    return [{ kind: 'choice', any: choices.map((one) => sequenceOf(one, rewrites, depth + 1)) }];
  });
}

/** A word of a phrase as it is looked for. */
function literalsOf(token: string, rewrites: Rewrites): readonly string[] {
  if (isPlain(token)) return rewrites.get(token) ?? [token];
  return rewritten(wordsOf(token, MOST_NODES), rewrites).map(({ text }) => text);
}

/** Where the token ends that begins at a place. */
function tokenEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    else if (text[at] === ' ' && depth === 0 && at > from) return at;
  }
  return text.length;
}

/** Splits a text at the spaces that are not within groups. */
function tokensOf(text: string): string[] {
  const tokens = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth++;
    else if (letter === ')') depth--;
    if (letter === ' ' && depth === 0) tokens.push('');
    else tokens[tokens.length - 1] += letter;
  }
  return tokens.filter((token) => token !== '');
}

/** What a group with letters beside it may be read as: `joke( please|)` → `joke please`, `joke`. */
function alternativesOf(token: string): string[] {
  const start = token.indexOf('(');
  const end = closingOf(token, start);
  if (start < 0 || end < 0) return [token.replaceAll('(', ' ')];
  const choices = choicesOf(token.slice(start + 1, end));
  return choices.flatMap((choice) => alternativesOf(token.slice(0, start) + choice + token.slice(end + 1)));
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

function plainNodes(token: string, rewrites: Rewrites): Sequence {
  return [...token.matchAll(TOKEN)].flatMap(([part, slot, most]): Sequence => {
    if (slot) return [{ kind: 'slot', name: slot, most: Number(most ?? SLOT_WORDS) }];
    if (part === '*') return [{ kind: 'gap' }];
    if (part === '^') return [{ kind: 'start' }];
    if (part === '$') return [{ kind: 'end' }];
    const isStem = part.endsWith('*');
    const plain = isStem ? part.slice(0, -1) : part;
    if (isPlain(plain)) {
      const texts = isStem ? [plain] : (rewrites.get(plain) ?? [plain]);
      return texts.map((text, at): Node => ({ kind: isStem && at === texts.length - 1 ? 'stem' : 'word', text }));
    }
    const words = rewritten(wordsOf(part, MOST_NODES), isStem ? new Map() : rewrites);
    const nodes = words.map(({ text }): Node => ({ kind: 'word', text }));
    const last = words.at(-1);
    if (!isStem || !last) return nodes;
    // In a script without spaces each character is a word.
    return last.solo ? [...nodes, { kind: 'gap' }] : [...nodes.slice(0, -1), { kind: 'stem', text: last.text }];
  });
}
