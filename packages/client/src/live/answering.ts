import type { LiveEvents } from './events.js';

/** Which answer is coming, and whether another one is wanted after it. */
export class Answering {
  /** Empty while it has only been asked for. */
  private current?: string;
  /** The request for it that is still to be heard of. */
  private asked?: string;
  private requests = 0;
  private wantsNext = false;
  private cancelled = false;

  private get inProgress(): boolean {
    return this.current !== undefined;
  }

  get response(): string | undefined {
    return this.current || undefined;
  }

  /** @returns the `event_id` for a request; nothing where one is to follow later, as {@link hear} will say */
  ask(): string | undefined {
    if (this.inProgress) {
      this.wantsNext = true;
      return undefined;
    }
    this.current = '';
    return (this.asked = `response-${++this.requests}`);
  }

  /** @returns whether there is one to cancel; one that has only been asked for is when it comes, as {@link hear} will say */
  cancel(): boolean {
    this.cancelled = this.current === '';
    return Boolean(this.current);
  }

  /** @returns what it is time for */
  hear(event: { type: string }): 'cancel' | 'ask' | undefined {
    if (event.type === 'response.created') {
      this.current = (event as LiveEvents['response.created']).response.id;
      this.asked = undefined;
      if (this.cancelled) {
        this.cancelled = false;
        return 'cancel';
      }
    }
    const isRefused =
      event.type === 'error' && this.asked && (event as LiveEvents['error']).error.event_id === this.asked;
    const isDone =
      event.type === 'response.done' && (event as LiveEvents['response.done']).response.id === this.current;
    if (isRefused || isDone) {
      this.current = this.asked = undefined;
      this.cancelled = false;
    }
    if (!this.wantsNext || this.inProgress) return undefined;
    this.wantsNext = false;
    return 'ask';
  }

  reset(): void {
    this.current = this.asked = undefined;
    this.wantsNext = this.cancelled = false;
  }
}
