import { EventEmitter } from 'node:events';
import type { Command, Report } from './messages.js';

/** How much may wait for a service that does not read, in bytes, and what a message costs besides its own. */
const MAX_HELD = 1024 * 1024;
const MESSAGE_COST = 1024;

/**
 * A call, as a WebSocket of the package ws would be it: `open` and `close` events, and `message` events with text, or
 * with audio (16-bit mono at 24 kHz) as binary.
 */
export class Call extends EventEmitter {
  readonly OPEN = 1;
  readyState: 0 | 1 | 2 | 3 = 0;
  /** What waits for a client that does not read ends its call elsewhere. */
  readonly bufferedAmount = 0;
  /** The SDP answer to its offer. */
  answer = '';
  private readonly held: (string | Buffer)[] = [];
  private heldBytes = 0;
  private isPaused = false;

  constructor(
    readonly id: string,
    private readonly sendCommand: (command: Command) => void,
  ) {
    super();
  }

  /** Sends an event, as JSON. Audio in it is played, and not sent as an event. */
  send(event: string): void {
    if (this.readyState === this.OPEN) this.sendCommand({ event });
  }

  /** Asks the process of calls, which ends those whose client is gone, whether it is alive; emits `pong` then. */
  ping(): void {
    this.sendCommand({ ping: true });
  }

  /** Ends the call after what was sent. */
  close(): void {
    if (this.readyState > this.OPEN) return;
    this.readyState = 2;
    this.sendCommand({ end: 'gently' });
  }

  /** Ends the call now. */
  terminate(): void {
    if (this.readyState === 3) return;
    this.readyState = 2;
    this.sendCommand({ end: 'now' });
  }

  /** Passes nothing on until {@link resume}. */
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    while (!this.isPaused && this.held.length > 0) {
      const message = this.held.shift()!;
      this.heldBytes -= message.length + MESSAGE_COST;
      this.passMessage(message);
    }
  }

  /** @internal */
  receive(report: Report): void {
    if ('audio' in report) this.keepMessage(Buffer.from(report.audio));
    else if ('event' in report) this.keepMessage(report.event);
    else if ('pong' in report) this.emit('pong');
    else if ('answer' in report) {
      this.answer = report.answer;
      this.emit('answer');
    } else if ('opened' in report && this.readyState === 0) {
      this.readyState = this.OPEN;
      this.emit('open');
    } else if ('closed' in report) {
      // What was said last counts, as with a WebSocket.
      for (const message of this.held.splice(0)) this.passMessage(message);
      this.readyState = 3;
      this.emit('close');
    }
  }

  /** Of a client that says more than is read, sound is lost; its call ends if events would be. */
  private keepMessage(message: string | Buffer): void {
    if (!this.isPaused) return this.passMessage(message);
    const cost = message.length + MESSAGE_COST;
    if (this.heldBytes + cost > MAX_HELD) return typeof message === 'string' ? this.terminate() : undefined;
    this.held.push(message);
    this.heldBytes += cost;
  }

  private passMessage(message: string | Buffer): void {
    this.emit('message', message, typeof message !== 'string');
  }
}
