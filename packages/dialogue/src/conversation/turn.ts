import { CompiledScript } from '../script/compiled-script.js';
import { Slots } from '../match/pattern.js';
import { Word } from '../text/words.js';

/** What is known of a turn: all that an answer depends on besides the script and the time. */
export interface Said {
  readonly avatar: { readonly name: string };
  /** What the user said, untrusted. */
  readonly request: string;
  /** The newest turns of this conversation, the oldest first. */
  readonly history: readonly Exchange[];
  /** What the user said lately in this or another conversation, the oldest first: for the user's name. */
  readonly said?: readonly { readonly request: string }[];
}

/** An earlier turn. */
export interface Exchange {
  readonly request: string;
  readonly answer: string;
}

/** Whether a script had an answer, admits that it has none, or says what care asks for, which comes before everything. */
export type ReplyKind = 'answered' | 'unknown' | 'care';

/** An answer, with the intent or skill that it comes from. */
export interface Reply {
  readonly id: string;
  readonly answer: string;
  readonly kind: ReplyKind;
  /** Whether the user asks for a person: the answer is for where none may take over. */
  readonly isHandover?: true;
  /** Whether it refuses advice about health or law, without danger: documents of the operator may answer instead. */
  readonly isAdvice?: true;
}

/** What is looked at, of the request and of each earlier one: more words cost time and change no answer. */
export const MOST_WORDS = 500;
const HISTORY_TURNS = 50;
const HISTORY_CHARACTERS = 500;

/** A turn as a script reads it. */
export class Turn {
  readonly words: readonly Word[];
  private caught?: Slots;

  constructor(
    readonly said: Said,
    readonly script: CompiledScript,
    /** The script in its other languages, in which danger may be said too. */
    readonly others: readonly CompiledScript[],
    /** Unix time in milliseconds. */
    readonly now: number,
  ) {
    this.words = script.language.wordsOf(said.request, MOST_WORDS);
  }

  get request(): string {
    return this.said.request;
  }

  /** The last answer. */
  get last(): string {
    return this.said.history.at(-1)?.answer ?? '';
  }

  /** What the user said before, the oldest first. */
  get earlier(): readonly string[] {
    const { history, said = [] } = this.said;
    return [...said, ...history].slice(-HISTORY_TURNS).map(({ request }) => request.slice(0, HISTORY_CHARACTERS));
  }

  /** What the patterns of the script, in any of its languages, caught in this conversation: the latest counts. */
  get slots(): Slots {
    if (!this.caught) {
      const slots: Record<string, string> = {};
      const catchIn = (text: string, scripts: readonly CompiledScript[]) => {
        for (const { patterns, language } of scripts)
          Object.assign(slots, patterns.slots(language.wordsOf(text, MOST_WORDS), text));
      };
      for (const text of this.earlier) catchIn(text, [...this.others, this.script]);
      catchIn(this.request.slice(0, HISTORY_CHARACTERS), [this.script]);
      this.caught = slots;
    }
    return this.caught;
  }
}
