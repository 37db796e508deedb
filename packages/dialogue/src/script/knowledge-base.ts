import { AnswerPoints, Point } from './answer-points.js';
import { PhraseSets, QuizQuestion, ScriptFact, ScriptThing, ThingQuestions } from '../format/script-file.js';
import { FactBook } from '../match/fact-book.js';
import { IntentIndex } from '../match/intent-index.js';
import { Passages } from '../match/passages.js';
import { hasSlot, Phrase, phrasesOf } from '../text/phrase.js';
import { Rule, RuleEntry, RuleSet } from '../match/rules.js';
import { Statements } from '../match/statements.js';
import { Terms } from '../text/terms.js';
import { ThingBook } from '../match/thing-book.js';
import { atOnce } from '../match/slices.js';

interface RuleSource {
  readonly rule: Rule;
  readonly phrases: readonly Phrase[];
  readonly examples: () => readonly string[];
  /** Whether it is looked for before everything, with those of the other languages. */
  readonly isDanger?: boolean;
}

interface IntentSource {
  readonly rule: Rule;
  /** Until the index of them is made. */
  examples: readonly string[];
  /** Whether it comes from the file for all scripts. */
  readonly isShared: boolean;
}

interface Parts {
  readonly terms: Terms;
  readonly rules: readonly RuleSource[];
  readonly intents: readonly IntentSource[];
  readonly setOf: (rules: readonly RuleEntry[]) => RuleSet;
  readonly phrasesOf: (name: string) => readonly Phrase[];
  readonly facts: readonly ScriptFact[];
  readonly questions: ThingQuestions;
  /** By kind, the kind that its things are parts of. */
  readonly partOf: Readonly<Record<string, string>>;
  readonly things: readonly ScriptThing[];
  readonly topics: readonly string[];
  readonly unknown: readonly string[];
  readonly heard: readonly string[];
  readonly quiz: readonly QuizQuestion[];
  readonly replies: PhraseSets;
  readonly acknowledge: readonly {
    readonly rule: Rule;
    readonly phrases?: readonly Phrase[];
  }[];
  readonly statements: Statements;
}

/** What a script has to talk about, found by what is said. Each index is built when it is needed first. */
export class KnowledgeBase {
  readonly terms: Terms;
  readonly topics: readonly string[];
  readonly unknown: readonly string[];
  readonly heard: readonly string[];
  readonly quiz: readonly QuizQuestion[];
  /** Rules that come before everything but danger: those with a priority above 0. */
  readonly urgent: RuleSet;
  /** Rules that remember something. */
  readonly slots: RuleSet;
  /** Rules for what nothing else answers: those with a priority below 0. */
  readonly last: RuleSet;
  /** Rules for statements of which only the mood or the kind is known. */
  readonly acknowledge: RuleSet;
  private readonly ruleIds: ReadonlySet<string>;
  private readonly intentIds: ReadonlySet<string>;
  private index?: IntentIndex;
  private book?: FactBook;
  private texts?: Passages;
  private thingBook?: ThingBook;
  private answers?: AnswerPoints;
  private readonly sets = new Map<string, RuleSet>();
  /** Rules that were asked for by their ids. */
  private readonly found = new Map<string, Rule | undefined>();

  constructor(private readonly parts: Parts) {
    const { terms, rules, intents, setOf, topics, unknown, heard, quiz } = parts;
    this.terms = terms;
    this.topics = topics;
    this.unknown = unknown;
    this.heard = heard;
    this.quiz = quiz;
    this.urgent = setOf(rules.filter(({ rule, isDanger }) => rule.priority > 0 && !isDanger));
    this.last = setOf(rules.filter(({ rule }) => rule.priority < 0));
    this.acknowledge = setOf(parts.acknowledge);
    const withSlots = rules.map(({ rule, phrases }) => ({
      rule,
      phrases: phrases.filter(hasSlot),
    }));
    this.slots = setOf(withSlots.filter(({ rule, phrases }) => phrases.length > 0 && rule.priority === 0));
    this.ruleIds = new Set(rules.map(({ rule }) => rule.id));
    this.intentIds = new Set(intents.map(({ rule }) => rule.id));
  }

  /** Intents, and rules by their phrases. */
  get intents(): IntentIndex {
    return this.index ?? atOnce(this.makeIntents());
  }

  private *makeIntents(): Generator<void, IntentIndex, void> {
    if (!this.index) {
      const rules = this.parts.rules.filter(({ rule }) => rule.priority === 0);
      const intents = this.parts.intents.map(({ rule, examples, isShared }) => ({
        rule,
        examples,
        isGeneral: isShared,
      }));
      const phrases = rules.map(({ rule, examples }) => ({ rule, examples: examples(), isGeneral: true }));
      this.index = yield* IntentIndex.made([...intents, ...phrases], this.terms);
      for (const intent of this.parts.intents) intent.examples = [];
    }
    return this.index;
  }

  /** Reactions to what is told. */
  get statements(): IntentIndex {
    return this.parts.statements.index();
  }

  get facts(): FactBook {
    return (this.book ??= new FactBook(this.parts.facts, this.terms));
  }

  /** What there is to know of things, if there are any. */
  get things(): ThingBook | undefined {
    const { questions, things, partOf } = this.parts;
    if (things.length === 0) return undefined;
    return (this.thingBook ??= new ThingBook(
      questions,
      things,
      this.terms,
      (stem) => this.intents.knows(stem) || this.terms.isKnown(stem),
      partOf,
    ));
  }

  /** What facts and intents say. */
  get passages(): Passages {
    return this.texts ?? atOnce(this.makePassages());
  }

  private *makePassages(): Generator<void, Passages, void> {
    if (!this.texts) {
      const intents = this.parts.intents.map(({ rule }) => ({ rule, topics: this.intents.subjectsOf(rule) }));
      this.texts = yield* Passages.made(this.parts.facts, intents, this.terms);
    }
    return this.texts;
  }

  /** Makes all that turns need, in steps. */
  *prepare(): Generator<void, void, void> {
    yield* this.makeIntents();
    yield* this.parts.statements.prepare();
    yield* this.makePassages();
    if (this.things) yield* this.things.prepare();
  }

  /** What its rules remember. */
  get slotNames(): readonly string[] {
    const parts = this.parts.rules.flatMap(({ phrases }) => phrases.flatMap((phrase) => phrase.parts));
    return parts.flatMap((part) => (part.kind === 'slot' ? part.name : []));
  }

  isIntent(rule: Rule): boolean {
    return this.intentIds.has(rule.id) && !this.ruleIds.has(rule.id);
  }

  /** An answer that tells the user's name. */
  get tellName(): Rule | undefined {
    return this.ruleOf('tell_name');
  }

  /** The rule or intent of an id. */
  ruleOf(id: string): Rule | undefined {
    let rule = this.found.get(id);
    if (!rule && !this.found.has(id)) {
      rule = [...this.parts.rules, ...this.parts.intents].find((one) => one.rule.id === id)?.rule;
      this.found.set(id, rule);
    }
    return rule;
  }

  /** A set of phrases of the language, empty if it has none of that name. */
  set(name: string): RuleSet {
    return this.kept(name, () => this.parts.setOf([{ rule: emptyRule(name), phrases: this.parts.phrasesOf(name) }]));
  }

  /** Phrases that are no part of the script, kept by a name. */
  setFor(name: string, phrases: readonly string[]): RuleSet {
    return this.kept(name, () => this.rulesOf({ [name]: phrases }));
  }

  private kept(name: string, make: () => RuleSet): RuleSet {
    const set = this.sets.get(name) ?? make();
    this.sets.set(name, set);
    return set;
  }

  /** Rules of phrases that are no part of the script, by their ids. */
  rulesOf(phrases: Readonly<Record<string, readonly string[]>>): RuleSet {
    const { rewrites } = this.terms;
    return this.parts.setOf(
      Object.entries(phrases).map(([id, sources]) => ({
        rule: emptyRule(id),
        phrases: sources.flatMap((source) => phrasesOf(source, rewrites)),
      })),
    );
  }

  /** What the engine says itself in this language, by its name. */
  replies(name: string): readonly string[] {
    return this.parts.replies[name] ?? [];
  }

  /** Where an answer of this script leads, whatever was added to it. */
  pointAfter(told: string): Point | undefined {
    return (this.answers ??= this.makeAnswers()).after(told);
  }

  private makeAnswers(): AnswerPoints {
    const { rules, intents, acknowledge, statements, replies } = this.parts;
    const all = [...rules, ...intents, ...acknowledge].map(({ rule }) => rule);
    return new AnswerPoints([...all, ...statements.rules], replies);
  }
}

function emptyRule(id: string): Rule {
  return { id, answers: [], again: false, priority: 0 };
}
