import { QuizQuestion, ScriptFact } from './script.format.js';
import { FactBook } from './script.facts.js';
import { IntentIndex } from './script.intents.js';
import { Phrase, phrasesOf } from './script.phrase.js';
import { Rule, RuleSet } from './script.rules.js';
import { Terms } from './script.terms.js';

/** Where a conversation is: the rule that answered last, and the one with an id that it follows up. */
export interface Point {
  readonly rule: Rule;
  readonly topic: Rule;
}

interface Source {
  readonly rule: Rule;
  readonly phrases: readonly Phrase[];
  readonly examples: () => readonly string[];
  /** Whether it comes from the file for all scripts. */
  readonly isShared?: boolean;
}

interface Parts {
  readonly terms: Terms;
  readonly rules: readonly Source[];
  readonly intents: readonly Source[];
  readonly setOf: (rules: readonly { rule: Rule; phrases?: readonly Phrase[] }[]) => RuleSet;
  readonly phrasesOf: (name: string) => readonly Phrase[];
  readonly facts: readonly ScriptFact[];
  readonly topics: readonly string[];
  readonly unknown: readonly string[];
  readonly heard: readonly string[];
  readonly quiz: readonly QuizQuestion[];
}

/** What a script has to talk about, found by what is said. Each index is built when it is needed first. */
export class Conversation {
  readonly terms: Terms;
  readonly topics: readonly string[];
  readonly unknown: readonly string[];
  readonly heard: readonly string[];
  readonly quiz: readonly QuizQuestion[];
  /** Rules that come before everything: those with a priority above 0. */
  readonly urgent: RuleSet;
  /** Rules that remember something. */
  readonly slots: RuleSet;
  /** Rules for what nothing else answers: those with a priority below 0. */
  readonly last: RuleSet;
  private readonly ruleIds: ReadonlySet<string>;
  private readonly intentIds: ReadonlySet<string>;
  private index?: IntentIndex;
  private book?: FactBook;
  private answers?: { points: Map<string, Point>; open: { start: string; end: string; point: Point }[] };
  private readonly sets = new Map<string, RuleSet>();

  constructor(private readonly parts: Parts) {
    const { terms, rules, intents, setOf, topics, unknown, heard, quiz } = parts;
    this.terms = terms;
    this.topics = topics;
    this.unknown = unknown;
    this.heard = heard;
    this.quiz = quiz;
    this.urgent = setOf(rules.filter(({ rule }) => rule.priority > 0));
    this.last = setOf(rules.filter(({ rule }) => rule.priority < 0));
    const withSlots = rules.map(({ rule, phrases }) => ({ rule, phrases: phrases.filter(hasSlot) }));
    this.slots = setOf(withSlots.filter(({ rule, phrases }) => phrases.length > 0 && rule.priority === 0));
    this.ruleIds = new Set(rules.map(({ rule }) => rule.id));
    this.intentIds = new Set(intents.map(({ rule }) => rule.id));
  }

  /** Intents, and rules by their phrases. */
  get intents(): IntentIndex {
    if (!this.index) {
      const rules = this.parts.rules.filter(({ rule }) => rule.priority === 0);
      const entries = [
        ...this.parts.intents.map((intent) => ({ ...intent, isGeneral: intent.isShared === true })),
        ...rules.map((rule) => ({ ...rule, isGeneral: true })),
      ];
      this.index = new IntentIndex(
        entries.map(({ rule, examples, isGeneral }) => ({ rule, isGeneral, examples: examples() })),
        this.terms,
      );
    }
    return this.index;
  }

  get facts(): FactBook {
    return (this.book ??= new FactBook(this.parts.facts, this.terms));
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
    return this.parts.rules.find(({ rule }) => rule.id === 'tell_name')?.rule;
  }

  /** A set of phrases of the language, empty if it has none of that name. */
  set(name: string): RuleSet {
    return this.kept(name, () => this.parts.setOf([{ rule: ruleOf(name), phrases: this.parts.phrasesOf(name) }]));
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
        rule: ruleOf(id),
        phrases: sources.flatMap((source) => phrasesOf(source, rewrites)),
      })),
    );
  }

  /** Where an answer of this script leads. */
  pointAfter(answer: string): Point | undefined {
    this.answers ??= this.readAnswers();
    const { points, open } = this.answers;
    return points.get(answer) ?? open.find(({ start, end }) => answer.startsWith(start) && answer.endsWith(end))?.point;
  }

  private readAnswers() {
    const points = new Map<string, Point>();
    const open: { start: string; end: string; point: Point }[] = [];
    const read = (rule: Rule, topic: Rule) => {
      const point = { rule, topic };
      for (const answer of rule.answers) {
        const [start, end] = [answer.split('{')[0]!, answer.split('}').at(-1)!];
        if (!answer.includes('{')) {
          if (!points.has(answer)) points.set(answer, point);
        } else if (start.length + end.length >= 8) open.push({ start, end, point });
      }
      for (const next of rule.then?.all ?? []) if (!next.again) read(next, topic);
    };
    for (const { rule } of [...this.parts.rules, ...this.parts.intents]) read(rule, rule);
    return { points, open };
  }
}

function ruleOf(id: string): Rule {
  return { id, answers: [], again: false, priority: 0 };
}

function hasSlot({ parts }: Phrase): boolean {
  return parts.some((part) => part.kind === 'slot');
}
