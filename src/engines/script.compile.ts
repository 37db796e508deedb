import { answersWithoutSlots, phraseFaults, scriptFaults, sharedFaults } from './script.check.js';
import { Conversation } from './script.conversation.js';
import {
  FollowUp,
  PhraseFile,
  PhraseSets,
  ScriptError,
  ScriptFile,
  ScriptIntent,
  ScriptRule,
  SharedFile,
} from './script.format.js';
import { alternativesOf, Phrase, phrasesOf } from './script.phrase.js';
import { Rule, RuleSet } from './script.rules.js';
import { Terms } from './script.terms.js';
import { fold, Rewrites, wordsOf } from './script.words.js';

/** A script in one language, ready to talk. */
export interface CompiledScript {
  readonly rules: RuleSet;
  readonly fallback: readonly string[];
  readonly rewrites: Rewrites;
  /** The rule for danger, which is recognised whatever language is chosen. */
  readonly crisis: RuleSet;
  /** Of a script that says honestly what it does not know: see `script.format.ts`. */
  readonly conversation?: Conversation;
}

/** What all scripts of a language have. */
export interface LanguageFiles {
  readonly language?: string;
  readonly phrases?: unknown;
  readonly shared?: unknown;
}

/** @throws ScriptError with every fault of the files */
export function compileScript(
  script: unknown,
  { language = 'en', phrases, shared }: LanguageFiles = {},
): CompiledScript {
  const shape = [
    ...(phrases === undefined ? [] : phraseFaults(phrases).map((fault) => `phrases: ${fault}`)),
    ...(shared === undefined ? [] : sharedFaults(shared).map((fault) => `shared: ${fault}`)),
    ...scriptFaults(script),
  ];
  if (shape.length > 0) throw new ScriptError(shape);
  const file = script as ScriptFile;
  const compiler = new Compiler((phrases ?? { sets: {} }) as PhraseFile, file.phrases ?? {}, language);
  const compiled = compiler.compile(file, file.shared === false ? {} : ((shared ?? {}) as SharedFile));
  if (compiler.faults.length > 0) throw new ScriptError(compiler.faults);
  return compiled;
}

/** A rule with what finds it. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly phrases: readonly Phrase[];
  readonly examples: () => readonly string[];
}

/** What was made with a language's file, for the next script of that language. */
const compiledFiles = new WeakMap<PhraseFile, { readonly phrases: Map<string, Phrase[]>; readonly terms: Terms }>();

class Compiler {
  readonly faults: string[] = [];
  private readonly compiled: Map<string, Phrase[]>;
  private readonly rewrites: Rewrites;
  private readonly stops: ReadonlySet<string>;
  private readonly sets: PhraseSets;
  private readonly terms: Terms;

  constructor(shared: PhraseFile, own: PhraseSets, language: string) {
    const { rewrite = {}, stops = [], sets } = shared;
    const plain = (text: string) => wordsOf(text, 10).flatMap((word) => word.text.split("'"));
    this.rewrites = new Map(Object.entries(rewrite).map(([from, to]) => [fold(from), plain(to)]));
    this.stops = new Set(stops.flatMap(plain));
    this.sets = { ...sets, ...own };
    const kept = compiledFiles.get(shared) ?? {
      phrases: new Map<string, Phrase[]>(),
      terms: new Terms(language, this.rewrites, shared),
    };
    compiledFiles.set(shared, kept);
    this.compiled = kept.phrases;
    this.terms = kept.terms;
  }

  compile(file: ScriptFile, shared: SharedFile): CompiledScript {
    const { intents, facts, topics, unknown, fallback } = file;
    const lent = new Map(shared.intents?.map(({ id, examples }) => [id, examples]));
    const rules = file.rules.map((rule, index) => this.rule(rule, `rules[${index}] (${rule.id})`, lent.get(rule.id)));
    const set = new RuleSet(rules, this.stops);
    const crisis = new RuleSet(
      rules.filter(({ rule }) => rule.id === 'crisis'),
      this.stops,
    );
    const script = { rules: set, crisis, fallback, rewrites: this.rewrites };
    if (!(intents || facts || topics || unknown || file.shared)) return script;
    const ids = new Set([...file.rules, ...(intents ?? []), ...(file.acknowledge ?? [])].map(({ id }) => id));
    const added = <Entry extends { readonly id: string }>(entries: readonly Entry[] = []) =>
      entries.filter(({ id }) => !ids.has(id));
    const more = added(shared.rules).map((rule) => this.rule(rule, `shared: ${rule.id}`));
    const intent = ({ id, examples, answers, then }: ScriptIntent) => {
      const place = `intents (${id})`;
      this.checkSlots(answers, [], place);
      const rule: Rule = {
        id,
        answers,
        priority: 0,
        again: false,
        then: this.followUps(then, `${place}.then`, id),
      };
      return { rule, examples: () => examples, phrases: [] };
    };
    const conversation = new Conversation({
      terms: this.terms,
      rules: [...rules, ...more],
      intents: [
        ...(intents ?? []).map(intent),
        ...added(shared.intents).map((entry) => ({
          ...intent(entry),
          isShared: true,
        })),
      ],
      setOf: (some) => new RuleSet(some, this.stops),
      phrasesOf: (name) => (this.sets[name] ? this.set(`@${name}`, name) : []),
      facts: [...(facts ?? []), ...(shared.facts ?? [])],
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
    return { ...script, conversation };
  }

  private rule(
    { id, match = [`@${id}`], answers, then, priority = 0 }: ScriptRule,
    place: string,
    examples: readonly string[] = [],
  ): CompiledRule {
    const phrases = this.phrases(match, place);
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
      examples: () => [...this.examples(match), ...examples],
    };
  }

  /** What phrases without slots look like when said. */
  private examples(match: readonly string[]): string[] {
    return match
      .flatMap((source) => (source.startsWith('@') ? (this.sets[source.slice(1)] ?? []) : source))
      .filter((source) => !source.includes('{'))
      .flatMap((source) => alternativesOf(source).map((text) => text.replace(/[*^$]/g, ' ')));
  }

  private followUps(rules: readonly FollowUp[] | undefined, place: string, id: string): RuleSet | undefined {
    const compiled = rules?.map(({ match, answers = [], again = false, then }, index) => {
      const at = `${place}[${index}]`;
      const phrases = match && this.phrases(match, at);
      if (!again) this.checkSlots(answers, phrases ?? [], at);
      const rule: Rule = {
        id,
        answers,
        again,
        priority: 0,
        then: this.followUps(then, `${at}.then`, id),
      };
      return { rule, phrases };
    });
    return compiled && new RuleSet(compiled, this.stops);
  }

  private phrases(match: readonly string[], place: string): Phrase[] {
    return match.flatMap((source) => (source.startsWith('@') ? this.set(source, place) : this.phrase(source, place)));
  }

  private set(source: string, place: string): Phrase[] {
    const set = this.sets[source.slice(1)];
    if (!set) this.faults.push(`${place}.match: there is no set ${source}`);
    return (set ?? []).flatMap((phrase) => this.phrase(phrase, `${place}.match ${source}`));
  }

  private phrase(source: string, place: string): Phrase[] {
    const known = this.compiled.get(source);
    if (known) return known;
    try {
      const phrases = phrasesOf(source, this.rewrites);
      this.compiled.set(source, phrases);
      return phrases;
    } catch (error) {
      this.faults.push(`${place}: '${source}' ${(error as Error).message}`);
      return [];
    }
  }

  private checkSlots(answers: readonly string[], phrases: readonly Phrase[], place: string): void {
    const caught = phrases.map(({ parts }) => parts.flatMap((part) => (part.kind === 'slot' ? [part.name] : [])));
    const always = caught[0]?.filter((name) => caught.every((names) => names.includes(name))) ?? [];
    answersWithoutSlots(answers, always, `${place}.answers`, this.faults);
  }
}
