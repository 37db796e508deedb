import { PhraseSets } from '../format/script-file.js';
import { Rule } from '../match/rules.js';
import { aroundSlots } from './answer-texts.js';

/** Where a conversation is: the rule that answered last, and the one with an id that it follows up. */
export interface Point {
  readonly rule: Rule;
  readonly topic: Rule;
}

/** Begins the names of what the engine adds to an answer. */
export const ADDED = 'allergy_';

/** Where the answers of a script lead. */
export class AnswerPoints {
  private readonly points = new Map<string, Point>();
  /** Answers with slots, by the texts around them. */
  private readonly open: { start: string; end: string; point: Point }[] = [];
  /** Texts that the engine may have added to an answer. */
  private readonly added: readonly string[];

  constructor(rules: readonly Rule[], replies: PhraseSets) {
    for (const rule of rules) this.read(rule, rule);
    this.added = Object.entries(replies).flatMap(([name, texts]) =>
      name.startsWith(ADDED) ? texts.map((text) => ` ${text}`) : [],
    );
  }

  after(told: string): Point | undefined {
    const behind = this.added.find((text) => told.endsWith(text));
    const answer = behind === undefined ? told : told.slice(0, -behind.length);
    return (
      this.points.get(answer) ??
      this.open.find(({ start, end }) => answer.startsWith(start) && answer.endsWith(end))?.point
    );
  }

  private read(rule: Rule, topic: Rule): void {
    const point = { rule, topic };
    for (const answer of rule.answers) {
      const around = aroundSlots(answer);
      if (around) this.open.push({ ...around, point });
      else if (!answer.includes('{') && !this.points.has(answer)) this.points.set(answer, point);
    }
    for (const next of rule.then?.all ?? []) if (!next.again) this.read(next, topic);
  }
}
