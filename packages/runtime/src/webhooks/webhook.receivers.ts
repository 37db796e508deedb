import { Counts } from '../limits/keyed-counter.js';
import type { Clock } from '../time/clock.js';

/** Maximum number of deliveries in flight in this process. */
export const WEBHOOK_SLOTS = 16;
/** Maximum number of these per project, so that slow receivers leave room for other projects. */
const SLOTS_PER_PROJECT = WEBHOOK_SLOTS / 4;
/** Maximum number of these per webhook, so that a slow receiver leaves room for others of its project. */
const SLOTS_PER_WEBHOOK = SLOTS_PER_PROJECT - 1;
/** Consecutive failures after which a receiver's circuit breaker opens, so that it does not use up every attempt. */
const FAILURES = 5;
/** Cool-down of the circuit breaker, in milliseconds. */
const COOL_DOWN_MS = 30_000;

interface Receiver {
  inFlight: number;
  failures: number;
  openUntil: number;
}

/** This process's state of webhook receivers. */
export class Receivers {
  /** By queue. */
  private readonly known = new Map<string, Receiver>();
  /** Deliveries in flight, by project. */
  private readonly slotsOf = new Counts();

  constructor(private readonly clock: Clock) {}

  /** Whether a webhook may be tried now. */
  isAvailable(queue: string): boolean {
    const [project_id] = queue.split('/') as [string];
    if (this.slotsOf.get(project_id) >= SLOTS_PER_PROJECT) return false;
    const receiver = this.known.get(queue);
    return !receiver || (receiver.inFlight < SLOTS_PER_WEBHOOK && receiver.openUntil <= this.clock.monotonic());
  }

  /**
   * @param queue the project, a slash and the webhook
   * @returns a function to call at the end with whether the delivery succeeded
   */
  beginDelivery(queue: string): (well: boolean) => void {
    const [project_id] = queue.split('/') as [string];
    const receiver = this.known.get(queue) ?? { inFlight: 0, failures: 0, openUntil: 0 };
    this.known.set(queue, receiver);
    receiver.inFlight++;
    this.slotsOf.add(project_id, 1);
    return (well) => {
      receiver.inFlight--;
      this.slotsOf.add(project_id, -1);
      receiver.failures = well ? 0 : receiver.failures + 1;
      if (receiver.failures >= FAILURES) receiver.openUntil = this.clock.monotonic() + COOL_DOWN_MS;
      if (receiver.inFlight === 0 && receiver.failures === 0) this.known.delete(queue);
    };
  }
}
