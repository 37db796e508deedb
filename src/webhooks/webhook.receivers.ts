import type { Clock } from '../platform/config/index.js';
import { Counts } from 'avatar-chat-runtime';
import type { Endpoint } from './outbox.repository.js';

/** Maximum number of deliveries in flight in this process. */
export const SLOTS = 16;
/** Maximum number of these per project, so that slow receivers leave room for other projects. */
const SLOTS_PER_PROJECT = SLOTS / 4;
/** Maximum number of these per webhook, so that a slow receiver leaves room for others of its project. */
const SLOTS_PER_WEBHOOK = SLOTS_PER_PROJECT - 1;
/** Consecutive failures after which a receiver's circuit breaker opens, so that it does not use up every attempt. */
const FAILURES = 5;
/** Cool-down of the circuit breaker, in milliseconds. */
const COOL_DOWN_MS = 30_000;

interface Receiver extends Endpoint {
  inFlight: number;
  failures: number;
  openUntil: number;
}

/** This process's state of webhook receivers. */
export class Receivers {
  private readonly known = new Map<string, Receiver>();
  /** Deliveries in flight, by project. */
  private readonly slotsOf = new Counts();

  constructor(private readonly clock: Clock) {}

  /** Targets that must not be tried now: webhooks or, without one, all of a project. */
  unavailable(): (Endpoint | Pick<Endpoint, 'project_id'>)[] {
    const now = this.clock.monotonic();
    const full = this.slotsOf.atLeast(SLOTS_PER_PROJECT);
    const webhooks = [...this.known.values()]
      .filter(({ inFlight, openUntil }) => inFlight >= SLOTS_PER_WEBHOOK || openUntil > now)
      .map(({ project_id, webhook }) => ({ project_id, webhook }));
    return [...full.map((project_id) => ({ project_id })), ...webhooks];
  }

  /** @returns a function to call at the end with whether the delivery succeeded */
  begin({ project_id, webhook }: Endpoint): (well: boolean) => void {
    const key = `${project_id} ${webhook}`;
    const receiver = this.known.get(key) ?? { project_id, webhook, inFlight: 0, failures: 0, openUntil: 0 };
    this.known.set(key, receiver);
    receiver.inFlight++;
    this.slotsOf.add(project_id, 1);
    return (well) => {
      receiver.inFlight--;
      this.slotsOf.add(project_id, -1);
      receiver.failures = well ? 0 : receiver.failures + 1;
      if (receiver.failures >= FAILURES) receiver.openUntil = this.clock.monotonic() + COOL_DOWN_MS;
      if (receiver.inFlight === 0 && receiver.failures === 0) this.known.delete(key);
    };
  }
}
