import { answersWithoutSlots } from '../format/faults.js';
import { FollowUp, ScriptIntent, ScriptRule } from '../format/script-file.js';
import { Phrase } from '../text/phrase.js';
import { PhraseBook } from './phrase-book.js';
import { Rule, RuleSet } from '../match/rules.js';

/** A rule with what finds it. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly phrases: readonly Phrase[];
  readonly unless?: readonly Phrase[];
  readonly examples: () => readonly string[];
}

/** Makes rules of what stands in a script. */
export class RuleCompiler {
  /** @param faults where they go if the answers are to be checked */
  constructor(
    private readonly book: PhraseBook,
    private readonly faults?: string[],
  ) {}

  intent({ id, answers, then }: ScriptIntent, place: string): Rule {
    this.checkSlots(answers, [], place);
    return { id, answers, priority: 0, again: false, then: this.followUps(then, `${place}.then`, id) };
  }

  rule(
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
    const [first, ...others] = phrases;
    const always = first ? slotsIn(first).filter((name) => others.every((one) => slotsIn(one).includes(name))) : [];
    answersWithoutSlots(answers, always, `${place}.answers`, this.faults);
  }
}

function slotsIn({ parts }: Phrase): string[] {
  return parts.flatMap((part) => (part.kind === 'slot' ? [part.name] : []));
}
