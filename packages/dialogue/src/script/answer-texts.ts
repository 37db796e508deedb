/** Below so many characters around its slots, an answer says nothing by itself. */
const LEAST_AROUND_SLOTS = 8;

/** What stands before the first and behind the last slot of an answer; undefined if it has none, or hardly anything else. */
export function aroundSlots(answer: string): { start: string; end: string } | undefined {
  if (!answer.includes('{')) return undefined;
  const [start, end] = [answer.split('{')[0]!, answer.split('}').at(-1)!];
  return start.length + end.length >= LEAST_AROUND_SLOTS ? { start, end } : undefined;
}

/** All texts in the `answers` of some files, at any depth: to know whose answer one is without compiling anything. */
export class AnswerTexts {
  private readonly whole = new Set<string>();
  private readonly open: { start: string; end: string }[] = [];

  constructor(files: unknown) {
    this.read(files, false);
  }

  has(answer: string): boolean {
    return (
      this.whole.has(answer) || this.open.some(({ start, end }) => answer.startsWith(start) && answer.endsWith(end))
    );
  }

  private read(value: unknown, isAnswer: boolean): void {
    if (typeof value === 'string') {
      if (isAnswer) this.add(value);
    } else if (Array.isArray(value)) for (const one of value) this.read(one, isAnswer);
    else if (typeof value === 'object' && value)
      for (const [name, one] of Object.entries(value)) if (typeof one === 'object') this.read(one, name === 'answers');
  }

  private add(answer: string): void {
    const around = aroundSlots(answer);
    if (around) this.open.push(around);
    else if (!answer.includes('{')) this.whole.add(answer);
  }
}
