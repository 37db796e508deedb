import type { Entry, TurnState } from '../history/conversation.js';

const STATES: Readonly<Record<Exclude<Entry['state'], 'typing'>, TurnState>> = {
  waiting: 'asked',
  speaking: 'answering',
  done: 'answered',
  interrupted: 'answered',
  failed: 'failed',
};

/** Tracks the states of live turns, by the entry that shows them. */
export class LiveTurns {
  private readonly states = new Map<Entry, TurnState>();

  constructor(private readonly turned: (state: TurnState) => void) {}

  changed(entry: Entry): void {
    if (!entry.mine) this.become(entry, STATES[entry.state as keyof typeof STATES]);
  }

  /** An answer of which nothing was heard counts as failed. */
  removed(entry: Entry): void {
    if (this.states.has(entry)) this.become(entry, 'failed');
  }

  private become(entry: Entry, state: TurnState): void {
    if (this.states.get(entry) === state) return;
    if (state === 'answered' || state === 'failed') this.states.delete(entry);
    else this.states.set(entry, state);
    this.turned(state);
  }
}
