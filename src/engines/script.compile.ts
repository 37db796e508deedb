import { answersWithoutSlots, phraseFaults, scriptFaults } from './script.check.js';
import { FollowUp, PhraseFile, PhraseSets, ScriptError, ScriptFile } from './script.format.js';
import { Phrase, phrasesOf } from './script.phrase.js';
import { Rule, RuleSet } from './script.rules.js';
import { fold, Rewrites, wordsOf } from './script.words.js';

/** A script in one language, ready to talk. */
export interface CompiledScript {
  readonly rules: RuleSet;
  readonly fallback: readonly string[];
  readonly rewrites: Rewrites;
}

/** @throws ScriptError with every fault of the two files */
export function compileScript(script: unknown, shared: unknown = { sets: {} }): CompiledScript {
  const shape = [...phraseFaults(shared).map((fault) => `phrases: ${fault}`), ...scriptFaults(script)];
  if (shape.length > 0) throw new ScriptError(shape);
  const compiler = new Compiler(shared as PhraseFile, (script as ScriptFile).phrases ?? {});
  const compiled = compiler.compile(script as ScriptFile);
  if (compiler.faults.length > 0) throw new ScriptError(compiler.faults);
  return compiled;
}

class Compiler {
  readonly faults: string[] = [];
  private readonly compiled = new Map<string, Phrase[]>();
  private readonly rewrites: Rewrites;
  private readonly stops: ReadonlySet<string>;
  private readonly sets: PhraseSets;

  constructor({ rewrite = {}, stops = [], sets }: PhraseFile, own: PhraseSets) {
    const plain = (text: string) => wordsOf(text, 10).flatMap((word) => word.text.split("'"));
    this.rewrites = new Map(Object.entries(rewrite).map(([from, to]) => [fold(from), plain(to)]));
    this.stops = new Set(stops.flatMap(plain));
    this.sets = { ...sets, ...own };
  }

  compile({ rules, fallback }: ScriptFile): CompiledScript {
    const compiled = rules.map(({ id, match = [`@${id}`], answers, then, priority = 0 }, index) => {
      const place = `rules[${index}] (${id})`;
      const phrases = this.phrases(match, place);
      this.checkSlots(answers, phrases, place);
      const rule: Rule = { answers, priority, again: false, then: this.followUps(then, `${place}.then`) };
      return { rule, phrases };
    });
    return { rules: new RuleSet(compiled, this.stops), fallback, rewrites: this.rewrites };
  }

  private followUps(rules: readonly FollowUp[] | undefined, place: string): RuleSet | undefined {
    const compiled = rules?.map(({ match, answers = [], again = false, then }, index) => {
      const at = `${place}[${index}]`;
      const phrases = match && this.phrases(match, at);
      if (!again) this.checkSlots(answers, phrases ?? [], at);
      const rule: Rule = { answers, again, priority: 0, then: this.followUps(then, `${at}.then`) };
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
