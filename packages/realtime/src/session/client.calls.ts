import type { FunctionRound } from 'avatar-chat-models';
import type { Asking, Reply } from '../response/reply.js';
import type { LiveResponse } from '../response/live.response.js';
import { type Conversation, type Item, newCallId, newItemId } from './conversation.js';

/** A turn that an engine can be asked about again. */
export interface CallingTurn {
  /** What the user said. */
  readonly words?: string;
  readonly items?: readonly Item[];
  open(asking: Asking): Promise<Reply>;
}

/** A call that the client runs. @property round its index among the rounds */
interface Call {
  readonly round: number;
  readonly id: string;
  readonly call_id: string;
}

/** A turn whose model waits for the client. */
interface Waiting {
  readonly turn: CallingTurn;
  readonly rounds: readonly FunctionRound[];
  readonly calls: readonly Call[];
  readonly isStored: boolean;
  /** How many results the model has learned; -1: it has not been asked since. */
  told: number;
}

/** One attempt at an answer. */
export interface CallingAttempt {
  readonly asking: Asking;
  /** The calls for the client, once the answer is complete. */
  items(): readonly Item[];
  /** @param response undefined if there was none */
  settle(response: LiveResponse | undefined): void;
}

/**
 * The turn whose model called functions of the client last: it is asked again with their results, as items of the
 * conversation have them. A call without one is told to the model as such, once.
 */
export class ClientCalls {
  private waiting?: Waiting | undefined;

  constructor(private readonly conversation: Conversation) {}

  /** What the user said before the calls, unless the model has been asked since. */
  get words(): string | undefined {
    return this.waiting && this.isNews(this.waiting) ? this.waiting.turn.words : undefined;
  }

  /** The turn whose model has something to learn. */
  get next(): CallingTurn | undefined {
    return this.waiting && this.isNews(this.waiting) ? this.waiting.turn : undefined;
  }

  forget(): void {
    this.waiting = undefined;
  }

  /** @param isKept whether the model's calls are part of the conversation */
  begin(turn: CallingTurn, { caller, ...more }: Asking, isKept: boolean): CallingAttempt {
    if (!caller) return { asking: more, items: () => [], settle: () => undefined };
    const former = isKept && this.waiting && this.isNews(this.waiting) ? this.waiting : undefined;
    const told = former ? this.resultsOf(former).length : 0;
    const rounds = former ? this.completed(former) : [];
    let made: readonly FunctionRound[] = [];
    let items: readonly Item[] | undefined;
    const continues = former?.turn === turn && former.isStored;
    const onCalls = (all: readonly FunctionRound[]) => void (made = all);
    return {
      asking: { ...more, continues, caller: { ...caller, rounds, onCalls } },
      items: () => (items ??= this.itemsOf(made)),
      settle: (response) => {
        if (!response || response.hasNoAnswer || !isKept) return;
        if (items && items.length > 0) {
          const last = made.length - 1;
          const ids = openCallsOf(made).map(({ id }) => id);
          const calls = items.map(({ call }, at) => ({ round: last, id: ids[at]!, call_id: call!.call_id }));
          const isStored = continues || response.hasStored;
          this.waiting = { turn, rounds: made, calls: [...(former?.calls ?? []), ...calls], isStored, told: -1 };
        } else if (former && told === former.calls.length) this.waiting = undefined;
        else if (former) former.told = told;
      },
    };
  }

  private isNews(waiting: Waiting): boolean {
    return this.resultsOf(waiting).length > waiting.told;
  }

  private resultsOf({ calls }: Waiting) {
    return calls.flatMap(({ call_id, ...call }) => {
      const text = this.conversation.all.findLast(({ result_of }) => result_of === call_id)?.text;
      return typeof text === 'string' ? [{ ...call, text }] : [];
    });
  }

  private completed(waiting: Waiting): FunctionRound[] {
    const known = this.resultsOf(waiting);
    return waiting.rounds.map((round, at) => {
      const results = known.filter(({ round }) => round === at).map(({ id, text }) => [id, text] as const);
      return { ...round, results: { ...round.results, ...Object.fromEntries(results) } };
    });
  }

  private itemsOf(rounds: readonly FunctionRound[]): readonly Item[] {
    return openCallsOf(rounds).map(({ id, name, args }) => {
      const call_id = this.conversation.hasCall(id) ? newCallId() : id;
      const common = { role: 'assistant', status: 'completed', spoken: false } as const;
      return { ...common, id: newItemId(), text: args, call: { name, call_id } };
    });
  }
}

/** The calls of the last round that the client has to run. */
function openCallsOf(rounds: readonly FunctionRound[]) {
  const last = rounds.at(-1);
  return (last?.calls ?? []).filter(({ id }) => !Object.hasOwn(last!.results, id));
}
