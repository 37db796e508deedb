import { Reply } from '../turn/choose.js';
import { Match, RuleSet } from '../match/rules.js';
import { Sentence, sentencesOf } from '../text/sentences.js';
import { Terms } from '../text/terms.js';
import { Turn } from '../turn/turn.js';
import { FIRST_NAMES } from '../text/first-names.js';
import { fold } from '../text/words.js';
import { mayBeSame, singular } from './memory.relations.js';
import { isDate } from './memory.dates.js';
import { isJob, saysWhatIs } from './memory.jobs.js';
import { MemoryWords } from './memory.words.js';
import { MEMORY_DE } from './memory.de.js';
import { MEMORY_EN } from './memory.en.js';
import { MEMORY_ES } from './memory.es.js';
import { numberOf, NUMBER_WORDS } from '../text/numbers.js';
import { quoteFor } from './recollect.js';
import { filled, languageOf, oneOf, skillAnswer } from './skill.js';

const WORDS: Readonly<Record<string, MemoryWords>> = {
  de: MEMORY_DE,
  en: MEMORY_EN,
  es: MEMORY_ES,
};
const POSSESSIVE = /['’]s?$/u;
/** Begin a game: `rate mal, wie alt ich bin`. */
const GUESS = new Set(['guess', 'rate', 'ratet', 'adivina']);
const MOST_TOLD = 4;
/** Kinds that name someone of the user's family, or a pet. */
const WHO = new Set(['name_of', 'has', 'died', 'called', 'mention']);
const YEARS = new Set('years year jahre jahr anos ano'.split(' '));
/** Said of an age without a word for years: in Spanish, where one has years, more. */
const LEAST_BARE_AGE = 3;
const LEAST_HAD = 12;
const NAME = /^\p{Lu}\p{Ll}+$/u;

/** Something that the user said of themselves: `who` is the stem of the last word of what it is about. */
interface Remembered {
  readonly kind: string;
  readonly who: string;
  readonly said: string;
  readonly value: string;
}

interface Compiled {
  readonly words: MemoryWords;
  readonly tell: RuleSet;
  readonly ask: RuleSet;
}

/** By the language, for all its scripts. */
const compiled = new WeakMap<Terms, Compiled>();
/** What was gone through for a turn, each sentence of which may need it. */
const recalled = new WeakMap<Turn, readonly Remembered[]>();

/** Answers what the user asks about themselves. */
export function recall(turn: Turn, sentence: Sentence): Reply | undefined {
  const memory = memoryOf(turn);
  const asked = memory?.ask.best(sentence.words, sentence.text);
  if (!memory || !asked || GUESS.has(sentence.words[0]?.text ?? '')) return undefined;
  const kind = asked.rule.id;
  // "Morgen habe ich eine Prüfung" and "tengo un loro" tell, "Habe ich eine Katze?" asks.
  if (kind === 'has' && !sentence.asks && (asked.at > 0 || turn.knowledge.terms.language.startsWith('es')))
    return undefined;
  const facts = remembered(turn, memory);
  const { answers, unknown, summary } = memory.words;
  if (kind === 'all') {
    const told = facts.filter((fact) => summary[fact.kind]).slice(-MOST_TOLD);
    if (told.length === 0) return undefined;
    const sentences = told.map((fact) => {
      const isPast = facts.some((other) => other.kind === 'died' && other.who === fact.who);
      return filled((isPast && summary[`${fact.kind}_past`]) || summary[fact.kind]!, {
        who: fact.said,
        value: fact.value,
      });
    });
    return skillAnswer('recall_all', sentences.join(' '));
  }
  if (kind === 'who_is') {
    const name = asked.slots.value!.toLowerCase();
    const fact = facts.findLast((one) => one.kind === 'name_of' && one.value.toLowerCase() === name);
    return fact && skillAnswer('recall_who_is', filled(answers.who_is!, { who: fact.said, value: fact.value }));
  }
  const said = singular(asked.slots.who?.replace(POSSESSIVE, '') ?? '', sentence, memory.words);
  const who = keyOf(turn, said);
  const ofKind = facts.filter((fact) => fact.kind === kind);
  const own = ofKind.filter((fact) => said === '' || fact.who === who);
  const fitting = own.length > 0 || kind !== 'name_of' ? own : ofKind.filter((fact) => mayBeSame(turn, fact.who, who));
  if (fitting.length === 0) {
    const text = unknown[kind];
    const isName = kind === 'name_of' && !memory.words.relations.map(fold).includes(fold(said.split(/\s+/u).at(-1)!));
    if (!text || isName) return undefined;
    const quote = quoteFor(turn, sentence, kind === 'name_of');
    return quote ?? { ...skillAnswer(`recall_${kind}`, filled(text, { who: said })), isNothing: true };
  }
  const isPast = facts.some((fact) => fact.kind === 'died' && fact.who === who && who !== '');
  const values = [...new Set(fitting.map(({ value }) => value))];
  const value = said === '' && kind !== 'age' ? allOf(turn, values.slice(-MOST_TOLD)) : values.at(-1)!;
  return skillAnswer(`recall_${kind}`, filled(answers[isPast ? `${kind}_past` : kind]!, { who: said, value }));
}

/** Confirms what will be remembered. */
export function confirm(turn: Turn, sentence: Sentence): Reply | undefined {
  const memory = memoryOf(turn);
  if (!memory) return undefined;
  const fact = factsIn(turn, memory, sentence, lastOf(remembered(turn, memory))).findLast(
    ({ kind }) => memory.words.confirm[kind],
  );
  if (!fact) return undefined;
  const text = oneOf(turn, memory.words.confirm[fact.kind]!);
  const value = fact.value.replace(/^./u, (first) => first.toUpperCase());
  return skillAnswer(`tell_${fact.kind}`, filled(text, { who: fact.said, value: fact.value, Value: value }));
}

/** All that a sentence says which may be remembered, whatever comes of it. */
export function rememberedIn(turn: Turn, { words, text }: Sentence): readonly Match[] {
  return memoryOf(turn)?.tell.catches(words, text) ?? [];
}

function memoryOf(turn: Turn): Compiled | undefined {
  const words = WORDS[languageOf(turn)];
  if (!words) return undefined;
  let memory = compiled.get(turn.knowledge.terms);
  if (!memory) {
    memory = {
      words,
      tell: turn.knowledge.rulesOf(words.tell),
      ask: turn.knowledge.rulesOf(words.ask),
    };
    compiled.set(turn.knowledge.terms, memory);
  }
  return memory;
}

function remembered(turn: Turn, memory: Compiled): readonly Remembered[] {
  const known = recalled.get(turn);
  if (known) return known;
  const facts: Remembered[] = [];
  for (const statement of turn.statements())
    for (const sentence of sentencesOf(statement, turn.knowledge.terms, turn.said.avatar.name))
      facts.push(...factsIn(turn, memory, sentence, lastOf(facts)).map(withName));
  recalled.set(turn, facts);
  return facts;
}

/** @param last what the user said before that, for "his name is Rex" */
function factsIn(
  turn: Turn,
  { tell, words }: Compiled,
  sentence: Sentence,
  last: Remembered | undefined,
): Remembered[] {
  const facts: Remembered[] = [];
  const relations = new Set(words.relations.map(fold));
  const matches = tell.catches(sentence.words, sentence.text).sort((a, b) => a.at - b.at || b.weight - a.weight);
  for (const { rule, slots, at } of withoutOverlaps(matches)) {
    const kind = rule.id;
    const before = lastOf(facts) ?? last;
    const own = slots.who?.replace(POSSESSIVE, '');
    const value = turn.knowledge.terms.dated(slots.value ?? '');
    if (words.nothing.includes(value.toLowerCase().split(/\s+/u)[0]!)) continue;
    if (kind === 'name_of_last') {
      if (slots.also && ![value, slots.also].every(isName)) continue;
      const all = slots.also ? allOf(turn, [value, slots.also]) : value;
      if (before?.said) facts.push({ ...before, kind: 'name_of', value: all });
      continue;
    }
    if (kind === 'age' && !isAge(turn, value, sentence)) continue;
    if (kind === 'job' && saysWhatIs(sentence, at) && !isJob(value, languageOf(turn))) continue;
    if (kind === 'date_of' && !isDate(value, turn.knowledge.terms.language)) continue;
    const said = own ?? words.about[kind] ?? '';
    const noun = fold(said.split(/\s+/u).at(-1) ?? '');
    if (['has', 'died', 'called', 'mention'].includes(kind) && !relations.has(noun)) continue;
    // "Mein Sohn Ben" names him, "mein Sohn spielt" does not.
    const isMention = kind === 'called' && !NAME.test(value);
    facts.push({
      kind: isMention ? 'mention' : kind,
      said,
      who: keyOf(turn, said),
      value: value || said,
    });
  }
  return facts;
}

function isName(value: string): boolean {
  return NAME.test(value) || FIRST_NAMES.has(fold(value));
}

/** "Ya tengo 71", but not "tengo dos". */
function isAge(turn: Turn, value: string, { words }: Sentence): boolean {
  const language = languageOf(turn);
  const number = numberOf([fold(value)], NUMBER_WORDS[language]!, language);
  const least = language === 'es' ? LEAST_HAD : LEAST_BARE_AGE;
  return number !== undefined && (number.value >= least || words.some(({ text }) => YEARS.has(text)));
}

/** The last of whom or what something was said. */
function lastOf(facts: readonly Remembered[]): Remembered | undefined {
  return facts.findLast(({ said, kind }) => said !== '' && WHO.has(kind));
}

/** A name told by the way, `mein Sohn Ben`, which is remembered without a word. */
function withName(fact: Remembered): Remembered {
  return fact.kind === 'called' ? { ...fact, kind: 'name_of' } : fact;
}

/** Of matches at the same word the one of the most words. */
function withoutOverlaps(matches: readonly Match[]): Match[] {
  return matches.filter((match, index) => matches[index - 1]?.at !== match.at);
}

function keyOf({ knowledge }: Turn, said: string): string {
  return [...knowledge.terms.of(said).keys()].at(-1) ?? '';
}

function allOf({ knowledge }: Turn, values: readonly string[]): string {
  return new Intl.ListFormat(knowledge.terms.language, {
    type: 'conjunction',
  }).format(values);
}
