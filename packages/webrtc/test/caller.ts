import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const PROGRAM = join(__dirname, 'caller.process.mjs');

export interface OfferOptions {
  readonly audio?: boolean;
  readonly video?: boolean;
  /** Of its data channel; empty: none. */
  readonly label?: string;
}

/** A client of calls, as a browser would be, by the real library. */
export class Caller {
  readonly events: any[] = [];
  /** The loudness of what it heard, in pieces of 100 ms. */
  readonly levels: number[] = [];
  state = 'new';
  streams = 0;
  isOpen = false;
  isClosed = false;
  private received?: number;
  private readonly child: ChildProcess;

  constructor() {
    this.child = fork(PROGRAM, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    this.child.on('error', () => undefined);
    this.child.on('message', (message: any) => {
      if ('event' in message) this.events.push(message.event);
      else if ('level' in message) this.levels.push(message.level);
      else if ('packets' in message) this.received = message.packets;
      else if ('state' in message) this.state = message.state;
      else if ('streams' in message) this.streams = message.streams;
      else if ('opened' in message) this.isOpen = true;
      else if ('closed' in message) this.isClosed = true;
    });
  }

  /** @returns its SDP */
  async offer(options: OfferOptions = {}): Promise<string> {
    this.tell('offer', options);
    for (;;) {
      const [message] = (await once(this.child, 'message')) as [{ offer?: string }];
      if (message.offer !== undefined) return message.offer;
    }
  }

  /** @param sdp the answer. Resolves when its data channel is open */
  async accept(sdp: string): Promise<void> {
    this.tell('answer', sdp);
    await this.until(() => this.isOpen);
  }

  send(event: object | string): void {
    this.tell('send', typeof event === 'string' ? event : JSON.stringify(event));
  }

  /** Says a tone. */
  say(hz: number, ms: number): void {
    this.tell('say', { hz, ms });
  }

  /** Resolves with the first event of a type, from a position on. */
  async event(type: string, from = 0): Promise<any> {
    await this.until(() => this.types(from).includes(type));
    return this.events.slice(from).find((event) => event.type === type);
  }

  types(from = 0): string[] {
    return this.events.slice(from).map(({ type }) => type);
  }

  async until(holds: () => boolean, ms = 20_000): Promise<void> {
    const late = performance.now() + ms;
    while (!holds()) {
      if (performance.now() > late)
        throw new Error(`It does not hold: ${String(holds)}; ${this.state}, ${this.types().join(' ')}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** @returns how many packets of sound have arrived */
  async packets(): Promise<number> {
    this.received = undefined;
    this.tell('count');
    await this.until(() => this.received !== undefined);
    return this.received!;
  }

  hangUp(): void {
    this.tell('close');
  }

  /** As a browser that is killed: it says nothing more. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  private tell(name: string, value?: unknown): void {
    this.child.send([name, value], undefined, undefined, () => undefined);
  }
}
