import { setImmediate } from 'node:timers/promises';
import { keepHeapSmall } from '../platform/workers/index.js';
import { AnswerTexts } from './script.answers.js';
import { answersWithoutSlots } from './script.check.js';
import { Conversation, Point } from './script.conversation.js';
import { FollowUp, PhraseFile, ScriptFile, ScriptIntent, ScriptRule, SharedFile } from './script.format.js';
import { Phrase } from './script.phrase.js';
import { PhraseBook } from './script.phrasebook.js';
import { Rule, RuleSet } from './script.rules.js';
import { mergedQuestions } from './script.things.js';
import { Rewrites } from './script.words.js';

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
  /** Of a script that says honestly what it does not know: see `script.format.ts`. */
  readonly conversation?: Conversation;
  /** Where an answer of this script leads, if it has conversations. */
  pointAfter(answer: string): Point | undefined;
  /** Makes what turns in other languages need, and frees the memory of the rest. */
  prepareForOthers(): void;
  /** Makes what turns in this language need, with time for other work in between. */
  prepare(): Promise<void>;
}

/** What all scripts of a language have. */
export interface LanguageFiles {
  readonly language?: string;
  readonly phrases?: unknown;
  readonly shared?: unknown;
}

/** A rule with what finds it. */
interface CompiledRule {
  readonly rule: Rule;
  readonly phrases: readonly Phrase[];
  readonly unless?: readonly Phrase[];
  readonly examples: () => readonly string[];
}

/** A script with what was made of it so far. */
export class Script implements CompiledScript {
  readonly fallback: readonly string[];
  readonly rewrites: Rewrites;
  private readonly book: PhraseBook;
  private readonly ownRules: readonly ScriptRule[];
  private readonly isOfRulesAlone: boolean;
  /** The rest of the file, until turns in other languages have what they need of it. */
  private file?: ScriptFile;
  private readonly shared: SharedFile;
  private readonly made: Partial<Record<'rules' | 'crisis' | 'remembering', RuleSet>> = {};
  private compiled?: readonly CompiledRule[];
  private talk?: Conversation;
  private texts?: AnswerTexts;
  private isPrepared = false;

  /**
   * @param read reads the file: again when the first turn in its language comes
   * @param faults where they go if the files are to be checked
   */
  constructor(
    private readonly read: () => ScriptFile,
    { language = 'en', phrases = { sets: {} }, shared = {} }: LanguageFiles,
    private readonly faults?: string[],
  ) {
    this.file = read();
    const { phrases: own, rules, fallback, intents, facts, things, topics, unknown, shared: isShared } = this.file;
    this.book = new PhraseBook(language, phrases as PhraseFile, own, faults);
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
    return (this.made.crisis ??= this.book.setOf(this.dangers().map((rule) => this.rule(rule, rule.id))));
  }

  get remembering(): RuleSet {
    return (this.made.remembering ??= this.book.setOf(
      this.ownRules.flatMap((rule) => {
        const match = this.book.sources(rule.match ?? [`@${rule.id}`]).filter((source) => source.includes('{'));
        return match.length > 0 ? this.rule({ ...rule, match, then: undefined }, rule.id) : [];
      }),
    ));
  }

  get conversation(): Conversation | undefined {
    if (this.isOfRulesAlone) return undefined;
    if (this.talk) return this.talk;
    this.talk = this.conversationOf(this.file ?? this.read(), this.shared);
    this.file = undefined;
    return this.talk;
  }

  pointAfter(answer: string): Point | undefined {
    // In most turns this saves making the conversations of all languages but one.
    const isOwn = !this.isOfRulesAlone && (this.talk !== undefined || this.answers.has(answer));
    return isOwn ? this.conversation?.pointAfter(answer) : undefined;
  }

  prepareForOthers(): void {
    this.crisis.prepare();
    this.remembering.prepare();
    if (!this.isOfRulesAlone) void this.answers;
    this.file = undefined;
  }

  async prepare(): Promise<void> {
    if (this.isPrepared) return;
    const steps = [
      () => this.rules.prepare(),
      () => this.crisis.vocabulary,
      () => this.conversation,
      () => this.conversation?.intents,
      () => this.conversation?.passages,
      () => this.conversation?.things?.prepare(),
    ];
    const letHeapGrow = keepHeapSmall();
    try {
      for (const step of steps) {
        await setImmediate();
        step();
      }
    } finally {
      letHeapGrow();
    }
    this.isPrepared = true;
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
    return this.ownRules.map((rule, index) => this.rule(rule, `rules[${index}] (${rule.id})`, lent.get(rule.id)));
  }

  private conversationOf(file: ScriptFile, shared: SharedFile): Conversation {
    const { intents, facts, topics, unknown, fallback } = file;
    const ids = new Set([...this.ownRules, ...(intents ?? []), ...(file.acknowledge ?? [])].map(({ id }) => id));
    const added = <Entry extends { readonly id: string }>(entries: readonly Entry[] = []) =>
      entries.filter(({ id }) => !ids.has(id));
    const more = added(shared.rules).map((rule) => this.rule(rule, `shared: ${rule.id}`));
    const intent = ({ id, examples, answers, then }: ScriptIntent, isShared: boolean) => {
      const place = `intents (${id})`;
      this.checkSlots(answers, [], place);
      const rule: Rule = {
        id,
        answers,
        priority: 0,
        again: false,
        then: this.followUps(then, `${place}.then`, id),
      };
      return { rule, examples, isShared };
    };
    return new Conversation({
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
      questions: mergedQuestions(file.questions, shared.questions),
      things: [...(file.things ?? []), ...(shared.things ?? [])],
      topics: topics ?? shared.topics ?? [],
      unknown: unknown ?? shared.unknown ?? fallback,
      heard: file.heard ?? shared.heard ?? unknown ?? fallback,
      quiz: shared.quiz ?? [],
      replies: shared.replies ?? {},
      acknowledge: [...(file.acknowledge ?? []), ...added(shared.acknowledge)].map((rule) => {
        const { phrases, ...rest } = this.rule({ ...rule, match: rule.match ?? [] }, `acknowledge: ${rule.id}`);
        return { ...rest, phrases: rule.match && phrases };
      }),
    });
  }

  private rule(
    { id, match = [`@${id}`], unless, answers, then, priority = 0 }: ScriptRule,
    place: string,
    examples: readonly string[] = [],
  ): CompiledRule {
    const phrases = this.book.phrases(match, place);
    this.checkSlots(answers, phrases, place);
    const rule: Rule = {
      id,
      answers,
      priority,
      again: false,
      then: this.followUps(then, `${place}.then`, id),
    };
    return {
      rule,
      phrases,
      ...(unless && { unless: this.book.phrases(unless, `${place}.unless`) }),
      examples: () => [...this.book.examples(match), ...examples],
    };
  }

  private followUps(rules: readonly FollowUp[] | undefined, place: string, id: string): RuleSet | undefined {
    const compiled = rules?.map(({ match, answers = [], again = false, then }, index) => {
      const at = `${place}[${index}]`;
      const phrases = match && (() => this.book.phrases(match, at));
      if (this.faults) {
        const known = phrases?.() ?? [];
        if (!again) this.checkSlots(answers, known, at);
      }
      const rule: Rule = {
        id,
        answers,
        again,
        priority: 0,
        then: this.followUps(then, `${at}.then`, id),
      };
      return { rule, phrases };
    });
    return compiled && this.book.setOf(compiled);
  }

  private checkSlots(answers: readonly string[], phrases: readonly Phrase[], place: string): void {
    if (!this.faults) return;
    const caught = phrases.map(({ parts }) => parts.flatMap((part) => (part.kind === 'slot' ? [part.name] : [])));
    const always = caught[0]?.filter((name) => caught.every((names) => names.includes(name))) ?? [];
    answersWithoutSlots(answers, always, `${place}.answers`, this.faults);
  }
}
