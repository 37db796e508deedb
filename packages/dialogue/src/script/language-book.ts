import { FollowUp, Intent, ScriptFile } from '../format/script-file.js';
import { Examples } from '../match/examples.js';
import { LazyPattern } from '../match/pattern.js';
import { RuleSet } from '../match/rule-set.js';
import { Language } from '../text/language.js';

/** From this priority on an intent of `care` goes before everything, in all languages. */
export const DANGER = 90;

/** What all scripts have in a language: how it is read, what every avatar understands, and words of danger. */
export class LanguageBook {
  private readonly files: { readonly shared: () => ScriptFile; readonly care: () => ScriptFile };
  private readonly made: {
    language?: Language;
    intents?: ReadonlyMap<string, Intent>;
    care?: ReadonlyMap<string, Intent>;
    examples?: Examples<string>;
    danger?: RuleSet<string>;
    advice?: RuleSet<string>;
    dangerAnswers?: ReadonlyMap<string, string>;
  } = {};
  private readonly sets = new Map<string, RuleSet<string>>();

  /** @param files read when they are needed: of most languages only what is danger */
  constructor(
    readonly code: string,
    files: { readonly shared?: () => ScriptFile; readonly care?: () => ScriptFile } = {},
  ) {
    const none = () => ({ intents: [] });
    this.files = { shared: files.shared ?? none, care: files.care ?? none };
  }

  get language(): Language {
    this.readCare();
    return this.made.language!;
  }

  /** Shared intents by id. */
  get intents(): ReadonlyMap<string, Intent> {
    return (this.made.intents ??= new Map(this.files.shared().intents.map((intent) => [intent.id, intent])));
  }

  /** Intents of care by id. */
  get care(): ReadonlyMap<string, Intent> {
    this.readCare();
    return this.made.care!;
  }

  /** The examples of what all scripts have. */
  get examples(): Examples<string> {
    if (!this.made.examples) {
      const examples = new Examples<string>(this.language);
      for (const { id, say = [] } of [...this.care.values(), ...this.intents.values()])
        for (const text of say) examples.add(id, text);
      this.made.examples = examples;
    }
    return this.made.examples;
  }

  /** What is danger. */
  get danger(): RuleSet<string> {
    return (this.made.danger ??= this.careRules(({ priority = 0 }) => priority >= DANGER));
  }

  /** What needs careful advice if nothing answers it: health, law, food that may be spoiled. */
  get advice(): RuleSet<string> {
    return (this.made.advice ??= this.careRules(({ priority = 0 }) => priority < 0));
  }

  /** What is said to danger and after it, with the id of its intent. */
  get dangerAnswers(): ReadonlyMap<string, string> {
    if (!this.made.dangerAnswers) {
      const answers = new Map<string, string>();
      const add = (id: string, { answer = [], then = [] }: FollowUp | Intent): void => {
        for (const text of answer) answers.set(text, id);
        for (const one of then) add(id, one);
      };
      for (const [id, intent] of this.care)
        if ((intent.priority ?? 0) >= DANGER || id.startsWith('after_')) add(id, intent);
      this.made.dangerAnswers = answers;
    }
    return this.made.dangerAnswers;
  }

  /** The patterns of an intent of care, to be looked for alone. */
  careSet(id: string): RuleSet<string> {
    const set = this.sets.get(id) ?? new RuleSet([{ rule: id, patterns: this.patternsOf(this.care.get(id)?.match) }]);
    this.sets.set(id, set);
    return set;
  }

  /** @throws Error if there is no intent of a name */
  patternsOf(sources: readonly string[] = [], own?: ReadonlyMap<string, Intent>): LazyPattern[] {
    return sources.flatMap((source) => {
      if (!source.startsWith('@')) return new LazyPattern(source, this.language.rewrites);
      const id = source.slice(1);
      const named = own?.get(id)?.match ?? this.intents.get(id)?.match ?? this.care.get(id)?.match;
      if (!named) throw new Error(`there is no intent ${id} with patterns`);
      return this.patternsOf(named, own);
    });
  }

  private readCare(): void {
    if (this.made.care) return;
    const { words = {}, intents } = this.files.care();
    this.made.language = new Language(this.code, words);
    this.made.care = joined(intents);
  }

  private careRules(isWanted: (intent: Intent) => boolean): RuleSet<string> {
    const intents = [...this.care.values()].filter(isWanted);
    const entries = intents.map(({ id, match, unless, priority }) => ({
      rule: id,
      patterns: this.patternsOf(match),
      ...(unless && { unless: this.patternsOf(unless) }),
      priority,
    }));
    return new RuleSet(entries, this.language.stops);
  }
}

/** Intents by id, with the patterns of all lines of an id. */
function joined(intents: readonly Intent[]): ReadonlyMap<string, Intent> {
  const byId = new Map<string, Intent>();
  for (const intent of intents) {
    const before = byId.get(intent.id);
    byId.set(
      intent.id,
      before ? { ...before, ...intent, match: [...(before.match ?? []), ...(intent.match ?? [])] } : intent,
    );
  }
  return byId;
}
