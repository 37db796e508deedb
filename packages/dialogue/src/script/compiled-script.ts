import { needsSlots } from '../format/faults.js';
import { FollowUp, Intent, ScriptError, ScriptFile } from '../format/script-file.js';
import { Examples, Likeness } from '../match/examples.js';
import { Pattern, slotsIn } from '../match/pattern.js';
import { RuleSet } from '../match/rule-set.js';
import { TermWeights } from '../text/language.js';
import { AnswerOrigins } from './answer-origins.js';
import { LanguageBook } from './language-book.js';

/** A script in one language, ready for turns. Each index is made when it is needed first. */
export class CompiledScript {
  private readonly made: {
    file?: ScriptFile;
    intents?: ReadonlyMap<string, Intent>;
    examples?: Examples<string>;
    patterns?: RuleSet<string>;
    origins?: AnswerOrigins;
  } = {};
  private readonly followUps = new WeakMap<FollowUp, { examples: Examples<true>; rules: RuleSet<true> }>();

  /** @param read reads its file, if more is needed than what is danger in its language */
  constructor(
    private readonly read: () => ScriptFile,
    readonly book: LanguageBook,
  ) {}

  /** Its own intents and the shared ones, with its own answers. */
  get intents(): ReadonlyMap<string, Intent> {
    if (!this.made.intents) {
      const { care, intents: shared } = this.book;
      const intents = new Map<string, Intent>([...care, ...shared]);
      for (const own of this.file.intents) {
        const base = intents.get(own.id);
        intents.set(own.id, base ? withOwn(base, own) : own);
      }
      for (const [id, { off }] of intents) if (off) intents.delete(id);
      this.made.intents = intents;
    }
    return this.made.intents;
  }

  private get file(): ScriptFile {
    return (this.made.file ??= this.read());
  }

  get language() {
    return this.book.language;
  }

  /** The intent whose example is most like what is said. */
  best(terms: TermWeights): Likeness<string> | undefined {
    const { examples } = this.book;
    const { own } = this;
    const mine = own.best(terms, (term) => examples.knows(term));
    const shared = examples.best(terms, (term) => own.knows(term));
    const best = !shared || (mine && mine.score >= shared.score) ? mine : shared;
    return best && this.intents.has(best.rule) ? best : undefined;
  }

  /** Whether some examples have a term. */
  knows(term: string): boolean {
    return this.book.examples.knows(term) || this.own.knows(term);
  }

  /** The patterns of all intents but those of care. */
  get patterns(): RuleSet<string> {
    return (this.made.patterns ??= new RuleSet(
      [...this.intents.values()]
        .filter(({ id, match }) => match && !this.book.care.has(id))
        .map(({ id, match, unless }) => ({
          rule: id,
          patterns: this.book.patternsOf(match, this.intents),
          ...(unless && { unless: this.book.patternsOf(unless, this.intents) }),
        })),
      this.language.stops,
    ));
  }

  /** Where its answers come from. */
  get origins(): AnswerOrigins {
    return (this.made.origins ??= new AnswerOrigins([...this.intents.values()]));
  }

  answersOf(id: string): readonly string[] {
    return this.intents.get(id)?.answer ?? [];
  }

  /** What a follow-up takes; a follow-up without examples and patterns is asked for nothing. */
  takes(followUp: FollowUp) {
    let made = this.followUps.get(followUp);
    if (!made) {
      const examples = new Examples<true>(this.language);
      for (const text of this.examplesOf(followUp.say ?? [])) examples.add(true, text);
      const patterns = this.book.patternsOf(followUp.match, this.intents);
      this.followUps.set(
        followUp,
        (made = { examples, rules: new RuleSet([{ rule: true, patterns }], this.language.stops) }),
      );
    }
    return made;
  }

  /** @throws ScriptError with every fault of its patterns, names and answers */
  check(): void {
    const faults = [...this.intents.values()].flatMap((intent) => this.faultsOf(intent));
    if (!this.intents.has('unknown')) faults.push('there is no intent unknown, which says that nothing is known');
    if (faults.length > 0) throw new ScriptError(faults);
  }

  private faultsOf(entry: Intent | FollowUp, place = (entry as Intent).id): string[] {
    const faults: string[] = [];
    let patterns: Pattern[] = [];
    try {
      patterns = this.book.patternsOf(entry.match, this.intents).map(({ pattern }) => pattern);
      if ('unless' in entry) for (const one of this.book.patternsOf(entry.unless, this.intents)) void one.pattern;
    } catch (error) {
      faults.push(`${place}: ${(error as Error).message}`);
    }
    for (const source of entry.say ?? [])
      if (source.startsWith('@') && !this.intents.get(source.slice(1))?.say)
        faults.push(`${place}: there is no intent ${source.slice(1)} with examples`);
    const [first, ...others] = patterns.map(slotsIn);
    const always = [...(first ?? [])].filter((slot) => others.every((slots) => slots.has(slot)));
    if (needsSlots(entry, new Set(always))) faults.push(`${place}: needs an answer without slots that may be unknown`);
    return [...faults, ...(entry.then ?? []).flatMap((one, index) => this.faultsOf(one, `${place}: then[${index}]`))];
  }

  /** The examples of its own file. */
  private get own(): Examples<string> {
    if (!this.made.examples) {
      const examples = new Examples<string>(this.language);
      for (const { id, say = [] } of this.file.intents)
        if (this.intents.has(id)) for (const text of this.examplesOf(say)) examples.add(id, text);
      this.made.examples = examples;
    }
    return this.made.examples;
  }

  private examplesOf(say: readonly string[]): readonly string[] {
    return say.flatMap((text) => (text.startsWith('@') ? (this.intents.get(text.slice(1))?.say ?? []) : text));
  }
}

/** An intent of all scripts as a script has it. */
function withOwn(base: Intent, own: Intent): Intent {
  const join = (key: 'say' | 'match') =>
    base[key] || own[key] ? { [key]: [...(base[key] ?? []), ...(own[key] ?? [])] } : {};
  const { then, ...kept } = base;
  // What may follow the base's answer does not follow another.
  return { ...kept, ...(own.answer ? {} : then && { then }), ...own, ...join('say'), ...join('match') };
}
