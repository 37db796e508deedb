import type { Clock } from '../platform/config/index.js';
import { Counts } from '../platform/counts/index.js';
import type { Endpoint } from '../events/index.js';

/** How many deliveries are tried at a time in this process. */
export const SLOTS = 16;
/** How many of them may be those of one project, so that slow receivers leave room for the other projects'. */
export const SLOTS_OF_A_PROJECT = SLOTS / 4;
/** How many of those may be of one webhook, so that a slow receiver leaves room for the project's others. */
const SLOTS_OF_A_WEBHOOK = SLOTS_OF_A_PROJECT - 1;
/** After so many failures in a row a receiver is left alone for a while, so that it does not use up every attempt. */
const FAILURES = 5;
/** In milliseconds. */
const REST = 30_000;

interface Receiver extends Endpoint {
  underWay: number;
  failures: number;
  restsUntil: number;
}

/** What this process knows of the receivers of webhooks. */
export class Receivers {
  private readonly known = new Map<string, Receiver>();
  /** Deliveries in flight, by project. */
  private readonly slotsOf = new Counts();

  constructor(private readonly clock: Clock) {}

  /** Those that are not to be tried now: webhooks, or, without one, all of a project. */
  occupied(): (Endpoint | Pick<Endpoint, 'project_id'>)[] {
    const now = this.clock.monotonic();
    const full = this.slotsOf.atLeast(SLOTS_OF_A_PROJECT);
    const webhooks = [...this.known.values()]
      .filter(({ underWay, restsUntil }) => underWay >= SLOTS_OF_A_WEBHOOK || restsUntil > now)
      .map(({ project_id, webhook }) => ({ project_id, webhook }));
    return [...full.map((project_id) => ({ project_id })), ...webhooks];
  }

  /** @returns what to call in the end, with whether it went well. */
  begin({ project_id, webhook }: Endpoint): (well: boolean) => void {
    const key = `${project_id} ${webhook}`;
    const receiver = this.known.get(key) ?? { project_id, webhook, underWay: 0, failures: 0, restsUntil: 0 };
    this.known.set(key, receiver);
    receiver.underWay++;
    this.slotsOf.add(project_id, 1);
    return (well) => {
      receiver.underWay--;
      this.slotsOf.add(project_id, -1);
      receiver.failures = well ? 0 : receiver.failures + 1;
      if (receiver.failures >= FAILURES) receiver.restsUntil = this.clock.monotonic() + REST;
      if (receiver.underWay === 0 && receiver.failures === 0) this.known.delete(key);
    };
  }
}
