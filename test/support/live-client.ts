import { once } from 'node:events';
import { WebSocket } from 'ws';
import { CatalogueService } from '../../src/index.js';
import { PUPPET } from './engines.js';
import type { TestApp } from './index.js';

export type LiveEvent = { type: string; event_id: string } & Record<string, any>;

/** Adds a project with the live avatar `live`. The service needs the modules of the puppet and the metronome. */
export async function addLiveAvatar(test: TestApp, project_id: string): Promise<void> {
  const speech = { speaker: { kind: 'metronome' } };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id: 'live', hasLiveMode: true }],
      projects: [{ project_id, avatars: ['live'], languages: ['en'], settings: {}, speech }],
    }),
  );
}

/** How long a test waits for an expected event, in milliseconds. */
const PATIENCE = 15_000;

/** A client of the live mode that records all events, for tests. */
export class LiveClient {
  readonly events: LiveEvent[] = [];
  private wake: () => void = () => undefined;
  /** The close code and reason of the connection. */
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.events.push(JSON.parse(data.toString()));
      this.wake();
    });
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
    // Of a connection that was refused.
    this.closed.catch(() => undefined);
  }

  /**
   * Opens a session.
   *
   * @param prefix of the service within a host
   * @param ca the certificate to trust, for a host with TLS
   * @throws Error if it is rejected
   */
  static async open(port: number, query: string, token: string, prefix = '', ca?: string): Promise<LiveClient> {
    const socket = new WebSocket(`${ca ? 'wss' : 'ws'}://127.0.0.1:${port}${prefix}/v1/realtime?${query}`, {
      headers: { authorization: `Bearer ${token}` },
      ca,
    });
    const client = new LiveClient(socket);
    await once(socket, 'open');
    await client.next('session.created');
    return client;
  }

  send(event: object): void {
    this.socket.send(JSON.stringify(event));
  }

  /** Sends seconds of audio that is speech, or silence. */
  sendSound(seconds: number, level: number): void {
    for (let at = 0; at < seconds; at += 0.1) {
      const audio = Buffer.from(new Int16Array(2400).fill(level).buffer).toString('base64');
      this.send({ type: 'input_audio_buffer.append', audio });
    }
  }

  /** Sends a typed message, and requests an answer. */
  say(text: string): void {
    this.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    });
    this.send({ type: 'response.create' });
  }

  /** Says something, and waits for the end of the answer. */
  answer(text: string): Promise<LiveEvent> {
    const from = this.events.length;
    this.say(text);
    return this.next('response.done', from);
  }

  /** The first event of a type after a position; waits for it. */
  async next(type: string, from = 0): Promise<LiveEvent> {
    const until = Date.now() + PATIENCE;
    for (;;) {
      const found = this.events.slice(from).find((event) => event.type === type);
      if (found) return found;
      const left = until - Date.now();
      if (left <= 0) throw new Error(`No ${type} came, but ${this.types(from).join()}`);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, left);
      });
      clearTimeout(timer);
    }
  }

  /** Sends an event, and waits for another. */
  ask(event: object, type: string): Promise<LiveEvent> {
    const from = this.events.length;
    this.send(event);
    return this.next(type, from);
  }

  types(from = 0): string[] {
    return this.events.slice(from).map(({ type }) => type);
  }

  /** All events of a type. */
  of(type: string): LiveEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}
