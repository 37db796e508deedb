import type { Clock } from '../config/index.js';
import type { Endpoint } from '../events/index.js';

/** How many of one webhook are tried at a time, so that a slow receiver leaves room for the others. */
const AT_ONCE_EACH = 4;
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

  constructor(private readonly clock: Clock) {}

  /** Those that are not to be tried now. */
  occupied(): Endpoint[] {
    const now = this.clock.now();
    return [...this.known.values()]
      .filter(({ underWay, restsUntil }) => underWay >= AT_ONCE_EACH || restsUntil > now)
      .map(({ project_id, webhook }) => ({ project_id, webhook }));
  }

  /** @returns what to call in the end, with whether it went well. */
  begin({ project_id, webhook }: Endpoint): (well: boolean) => void {
    const key = `${project_id} ${webhook}`;
    const receiver = this.known.get(key) ?? { project_id, webhook, underWay: 0, failures: 0, restsUntil: 0 };
    this.known.set(key, receiver);
    receiver.underWay++;
    return (well) => {
      receiver.underWay--;
      receiver.failures = well ? 0 : receiver.failures + 1;
      if (receiver.failures >= FAILURES) receiver.restsUntil = this.clock.now() + REST;
      if (receiver.underWay === 0 && receiver.failures === 0) this.known.delete(key);
    };
  }
}
