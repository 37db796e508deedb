import { AnswerTexts } from './answer-texts.js';
import { KnowledgeBase } from './knowledge-base.js';
import { Point } from './answer-points.js';
import { PhraseFile, ScriptFile, ScriptIntent, ScriptRule, SharedFile, ThingQuestions } from '../format/script-file.js';
import { PhraseBook } from './phrase-book.js';
import { CompiledRule, RuleCompiler } from './rule-compiler.js';
import { RuleSet } from '../match/rules.js';
import { statementsOf } from '../match/statements.js';
import { Rewrites } from '../text/words.js';
import { inSlices } from '../match/slices.js';

/** From this priority on a rule for all scripts of a language is for danger. */
const DANGER = 90;

/** A script in one language. Each part is made when it is needed first: all of all languages would take some 30 MiB. */
export interface CompiledScript {
  readonly rules: RuleSet;
  readonly fallback: readonly string[];
  readonly rewrites: Rewrites;
  /** The rules for danger, which is recognised whatever language is chosen. */
  readonly crisis: RuleSet;
  /** Rules for what the user says of themselves, which is remembered whatever language is chosen. */
  readonly remembering: RuleSet;
  /** Of a script that says honestly what it does not know: see `format/script-file.ts`. */
  readonly knowledge?: KnowledgeBase;
  /** What the engine says itself in this language, by its name; nothing in a script of rules alone. */
  replies(name: string): readonly string[];
  /** Where an answer of this script leads, if it has conversations. */
  pointAfter(answer: string): Point | undefined;
  /** Makes what turns in other languages need, in steps, and frees the memory of the rest. */
  prepareForOthers(): Generator<void, void, void>;
  /** Whether {@link prepare} has nothing left to do. */
  readonly isPrepared: boolean;
  /** Makes what turns in this language need, with time for other work in between. */
  prepare(): Promise<void>;
}

/** What all scripts of a language have. */
export interface LanguageFiles {
  readonly language?: string;
  readonly phrases?: unknown;
  readonly shared?: unknown;
}

/** A script with what was made of it so far. */
export class Script implements CompiledScript {
  readonly fallback: readonly string[];
  readonly rewrites: Rewrites;
  private readonly book: PhraseBook;
  private readonly compiler: RuleCompiler;
  private readonly ownRules: readonly ScriptRule[];
  private readonly isOfRulesAlone: boolean;
  /** The rest of the file, until turns in other languages have what they need of it. */
  private file?: ScriptFile;
  private readonly shared: SharedFile;
  private readonly made: Partial<Record<'rules' | 'crisis' | 'remembering', RuleSet>> = {};
  private compiled?: readonly CompiledRule[];
  private known?: KnowledgeBase;
  private texts?: AnswerTexts;
  private prepared?: Promise<void>;
  private ready = false;

  /**
   * @param read reads the file: again when the first turn in its language comes
   * @param faults where they go if the files are to be checked
   */
  constructor(
    private readonly read: () => ScriptFile,
    { language = 'en', phrases = { sets: {} }, shared = {} }: LanguageFiles,
    faults?: string[],
  ) {
    this.file = read();
    const { phrases: own, rules, fallback, intents, facts, things, topics, unknown, shared: isShared } = this.file;
    this.book = new PhraseBook(language, phrases as PhraseFile, own, faults);
    this.compiler = new RuleCompiler(this.book, faults);
    this.ownRules = rules;
    this.isOfRulesAlone = !(intents || facts || things || topics || unknown || isShared);
    this.fallback = fallback;
    this.rewrites = this.book.rewrites;
    this.shared = isShared === false ? {} : (shared as SharedFile);
  }

  get rules(): RuleSet {
    return (this.made.rules ??= this.book.setOf(this.compiledRules));
  }

  get crisis(): RuleSet {
    return (this.made.crisis ??= this.book.setOf(this.dangers().map((rule) => this.compiler.rule(rule, rule.id))));
  }

  get remembering(): RuleSet {
    return (this.made.remembering ??= this.book.setOf(
      this.ownRules.flatMap((rule) => {
        const match = this.book.sources(rule.match ?? [`@${rule.id}`]).filter((source) => source.includes('{'));
        return match.length > 0 ? this.compiler.rule({ ...rule, match, then: undefined }, rule.id) : [];
      }),
    ));
  }

  get knowledge(): KnowledgeBase | undefined {
    if (this.isOfRulesAlone) return undefined;
    if (this.known) return this.known;
    this.known = this.knowledgeOf(this.file ?? this.read(), this.shared);
    this.file = undefined;
    return this.known;
  }

  replies(name: string): readonly string[] {
    return (!this.isOfRulesAlone && this.shared.replies?.[name]) || [];
  }

  pointAfter(answer: string): Point | undefined {
    // In most turns this saves making the knowledge bases of all languages but one.
    const isOwn = !this.isOfRulesAlone && (this.known !== undefined || this.answers.has(answer));
    return isOwn ? this.knowledge?.pointAfter(answer) : undefined;
  }

  *prepareForOthers(): Generator<void, void, void> {
    void this.crisis.vocabulary;
    yield;
    this.remembering.prepare();
    yield;
    if (!this.isOfRulesAlone) void this.answers;
    this.file = undefined;
  }

  get isPrepared(): boolean {
    return this.ready;
  }

  prepare(): Promise<void> {
    return (this.prepared ??= inSlices(this.preparing()).then(() => void (this.ready = true)));
  }

  private *preparing(): Generator<void, void, void> {
    this.rules.prepare();
    yield;
    void this.crisis.vocabulary;
    yield;
    const { knowledge } = this;
    yield;
    if (knowledge) yield* knowledge.prepare();
  }

  private get answers(): AnswerTexts {
    return (this.texts ??= new AnswerTexts([this.file ?? this.read(), this.shared]));
  }

  private dangers(): readonly ScriptRule[] {
    const own = this.ownRules.filter(({ id }) => id === 'crisis');
    const shared = this.isOfRulesAlone ? [] : (this.shared.rules ?? []);
    return [...own, ...shared.filter(({ priority = 0 }) => priority >= DANGER)];
  }

  private get compiledRules(): readonly CompiledRule[] {
    return (this.compiled ??= this.compileRules());
  }

  private compileRules(): readonly CompiledRule[] {
    const lent = new Map(this.shared.intents?.map(({ id, examples }) => [id, examples]));
    return this.ownRules.map((rule, index) =>
      this.compiler.rule(rule, `rules[${index}] (${rule.id})`, lent.get(rule.id)),
    );
  }

  private knowledgeOf(file: ScriptFile, shared: SharedFile): KnowledgeBase {
    const { intents, facts, topics, unknown, fallback } = file;
    const ids = new Set([...this.ownRules, ...(intents ?? []), ...(file.acknowledge ?? [])].map(({ id }) => id));
    const added = <Entry extends { readonly id: string }>(entries: readonly Entry[] = []) =>
      entries.filter(({ id }) => !ids.has(id));
    const more = added(shared.rules).map((rule) => this.compiler.rule(rule, `shared: ${rule.id}`));
    const intent = (entry: ScriptIntent, isShared: boolean) => ({
      rule: this.compiler.intent(entry, `intents (${entry.id})`),
      examples: entry.examples,
      isShared,
    });
    return new KnowledgeBase({
      terms: this.book.terms,
      rules: [
        ...this.compiledRules.map((one) => ({ ...one, isDanger: one.rule.id === 'crisis' })),
        ...more.map((one) => ({ ...one, isDanger: one.rule.priority >= DANGER })),
      ],
      intents: [
        ...(intents ?? []).map((entry) => intent(entry, false)),
        ...added(shared.intents).map((entry) => intent(entry, true)),
      ],
      setOf: (some) => this.book.setOf(some),
      phrasesOf: (name) => this.book.named(name),
      facts: [...(facts ?? []), ...(shared.facts ?? [])],
      partOf: file.partOf ?? {},
      questions: mergedQuestions(file.questions, shared.questions),
      things: [...(file.things ?? []), ...(shared.things ?? [])],
      topics: topics ?? shared.topics ?? [],
      unknown: unknown ?? shared.unknown ?? fallback,
      heard: file.heard ?? shared.heard ?? unknown ?? fallback,
      quiz: shared.quiz ?? [],
      replies: shared.replies ?? {},
      acknowledge: [...(file.acknowledge ?? []), ...added(shared.acknowledge)].map((rule) => {
        const { phrases, ...rest } = this.compiler.rule(
          { ...rule, match: rule.match ?? [] },
          `acknowledge: ${rule.id}`,
        );
        return { ...rest, phrases: rule.match && phrases };
      }),
      statements: statementsOf(shared, this.book.terms, (entry) =>
        this.compiler.intent(entry, `statements (${entry.id})`),
      ),
    });
  }
}

/** The questions of two files; those of the first stand instead of others with the same id. */
function mergedQuestions(own: ThingQuestions = {}, shared: ThingQuestions = {}): ThingQuestions {
  const kinds = new Set([...Object.keys(own), ...Object.keys(shared)]);
  return Object.fromEntries([...kinds].map((kind) => [kind, { ...shared[kind], ...own[kind] }]));
}
