import { FollowUp, Intent } from '../format/script-file.js';

/** Where an answer comes from: an intent, or one of what follows it. */
export interface Origin {
  readonly intent: Intent;
  readonly entry: Intent | FollowUp;
}

/** Begins the ids of what is added to answers. */
const NOTE = 'allergy_';
const SLOT = /\{[^{}]*\}/;
/** Answers of nothing else than a slot are no sign of where they come from. */
const SLOT_ALONE = /^\{[^{}]*\}$/;

/** Finds the intents of answers that were given. */
export class AnswerOrigins {
  private readonly whole = new Map<string, Origin>();
  /** Answers with slots. */
  private readonly shaped: { readonly pieces: readonly string[]; readonly origin: Origin }[] = [];

  /** What may be added to an answer. */
  private readonly notes: readonly string[];

  constructor(intents: readonly Intent[]) {
    for (const intent of intents) this.add(intent, intent);
    this.notes = intents.flatMap(({ id, answer = [] }) =>
      id.startsWith(NOTE) ? answer.map((text) => ` ${text}`) : [],
    );
  }

  /** Where an answer comes from, also if a greeting was put before it or a note behind. */
  of(answer: string): Origin | undefined {
    const known = this.whole.get(answer) ?? this.shaped.find(({ pieces }) => isMadeOf(answer, pieces))?.origin;
    if (known) return known;
    const note = this.notes.find((text) => answer.endsWith(text));
    if (note) return this.of(answer.slice(0, -note.length));
    // Behind a greeting: "Hello! …".
    const rest = answer.indexOf(' ');
    return rest > 0 && rest < answer.length - 1 && /[!！]$/u.test(answer.slice(0, rest))
      ? this.of(answer.slice(rest + 1))
      : undefined;
  }

  private add(intent: Intent, entry: Intent | FollowUp): void {
    const origin = { intent, entry };
    for (const text of entry.answer ?? []) {
      if (SLOT_ALONE.test(text)) continue;
      if (!text.includes('{')) this.whole.set(text, origin);
      else this.shaped.push({ pieces: text.split(SLOT), origin });
    }
    for (const one of entry.then ?? []) this.add(intent, one);
  }
}

/** Whether a text is made of some pieces with something between them. */
function isMadeOf(text: string, pieces: readonly string[]): boolean {
  const [first, ...rest] = pieces;
  const last = rest.pop()!;
  let from = first!.length;
  if (!text.startsWith(first!)) return false;
  for (const piece of rest) {
    const at = text.indexOf(piece, from + 1);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return text.length - last.length > from && text.endsWith(last);
}
