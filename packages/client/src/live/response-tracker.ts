import type { LiveEvents } from './events.js';

/** Tracks which answer is in progress, and whether another one is to follow. */
export class ResponseTracker {
  /** The id of the answer. Empty between the request and its `response.created`. */
  private current?: string;
  /** The `event_id` of the request that has not been confirmed yet. */
  private unconfirmed?: string;
  private requests = 0;
  private wantsNext = false;
  private cancelled = false;

  private get inProgress(): boolean {
    return this.current !== undefined;
  }

  get response(): string | undefined {
    return this.current || undefined;
  }

  /** @returns the `event_id` for a request, or undefined if it has to wait: {@link handle} will return `request` */
  request(): string | undefined {
    if (this.inProgress) {
      this.wantsNext = true;
      return undefined;
    }
    this.current = '';
    return (this.unconfirmed = `response-${++this.requests}`);
  }

  /** @returns whether to cancel now. If the answer is requested but not created yet, {@link handle} will return `cancel` */
  cancel(): boolean {
    this.cancelled = this.current === '';
    return Boolean(this.current);
  }

  /** @returns what to do next */
  handle(event: { type: string }): 'cancel' | 'request' | undefined {
    if (event.type === 'response.created') {
      this.current = (event as LiveEvents['response.created']).response.id;
      this.unconfirmed = undefined;
      if (this.cancelled) {
        this.cancelled = false;
        return 'cancel';
      }
    }
    const isRefused =
      event.type === 'error' && this.unconfirmed && (event as LiveEvents['error']).error.event_id === this.unconfirmed;
    const isDone =
      event.type === 'response.done' && (event as LiveEvents['response.done']).response.id === this.current;
    if (isRefused || isDone) {
      this.current = this.unconfirmed = undefined;
      this.cancelled = false;
    }
    if (!this.wantsNext || this.inProgress) return undefined;
    this.wantsNext = false;
    return 'request';
  }

  reset(): void {
    this.current = this.unconfirmed = undefined;
    this.wantsNext = this.cancelled = false;
  }
}
