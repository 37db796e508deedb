import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { type Event, FakeSocketServer } from './fake-socket-server.js';

/** The faults of the fake. */
export type LiveFault = 'refuses' | 'mute' | 'rejects' | 'silent' | 'garbage';

const RATE = 24_000;
/** Audio of a word, and of the silence after speech. */
const WORD = RATE / 10;
/** Samples at least this loud count as speech. */
const LOUD = 500;
/** So much silence, in milliseconds, ends what the user says. */
const QUIET_MS = 300;
/** The fields of a session that may be given at its start, as OpenAI types them: others are refused. */
const FIELDS = [
  'model',
  'instructions',
  'audio',
  'client',
  'delegation',
  'input',
  'safety_identifier',
  'store',
  'triggers',
];

/**
 * A server with the events of OpenAI's Live API as the package `openai` 7.59 types them, and a chat model beside it. It treats
 * loud audio as speech, word by word, and delegates what was said. What it is told to say, it says in words of its own.
 */
export class FakeLive extends FakeSocketServer {
  fault: LiveFault | undefined;
  /** What the user says next. */
  readonly words: string[] = [];
  /** What the server says to it by itself, in place of delegating it: possibly nothing. */
  chats: string | undefined;
  /** How often the model repeats its answer. */
  times = 1;
  readonly asked: string[] = [];

  override start(): Promise<this> {
    this.server.on('request', (request, response) => void this.complete(request, response));
    return super.start();
  }

  protected upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.fault === 'refuses') return void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
    this.upgrades.handleUpgrade(request, socket, head, (webSocket) => new FakeSession(this, webSocket).begin());
  }

  private async complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const said = JSON.parse(body).messages.at(-1).content;
    this.asked.push(said);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const content = `The answer to ${said.replace(/\W+$/, '')} is seven. `.repeat(this.times);
    for (const one of [
      { choices: [{ index: 0, delta: { content } }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    ])
      response.write(`data: ${JSON.stringify(one)}\n\n`);
    response.end('data: [DONE]\n\n');
  }
}

class FakeSession {
  private session: Event | undefined;
  private readonly delegations = new Set<string>();
  private count = 0;
  private heard = 0;
  private silence = 0;
  private isHearing = false;
  /** What the server is about to say, and whether it was interrupted. */
  private saying = Promise.resolve();
  private interruptions = 0;

  constructor(
    private readonly fake: FakeLive,
    private readonly socket: WebSocket,
  ) {}

  begin(): void {
    this.socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as Event;
      this.fake.received.push(event);
      this.handle(event);
    });
  }

  private handle(event: Event): void {
    if (!this.session && event.type !== 'session.start') return this.refuse(event, 'session_not_started');
    switch (event.type) {
      case 'session.start': {
        if (this.fake.fault === 'mute') return;
        if (this.fake.fault === 'garbage') return this.socket.send('{"secret');
        const unknown = Object.keys(event.session).find((name) => !FIELDS.includes(name));
        if (this.session || unknown || !event.session.model) return this.refuse(event, 'unknown_parameter');
        this.session = { ...event.session, id: this.id('sess'), status: 'active', expires_at: 4_000_000_000 };
        return this.send({ type: 'session.started', session: this.session });
      }
      case 'session.input_audio.append':
        return this.hear(Buffer.from(event.audio, 'base64'));
      case 'session.commentary.append': {
        const isKnown = event.delegation_id === null || this.delegations.has(event.delegation_id);
        if (this.fake.fault === 'rejects' || !isKnown || event.content.length > 2000)
          return this.refuse(event, 'invalid_value');
        this.send({ type: 'session.commentary.appended', ...this.times(), client_event_id: event.event_id });
        if (this.fake.fault !== 'silent') this.say(`Well, ${event.content.replace('Say this to the user now: ', '')}`);
        return;
      }
      case 'session.close':
        this.send({ type: 'session.closed', reason: 'close_requested', session: this.session, usage: { seconds: 1 } });
        return this.socket.close(1000);
      default:
        return this.refuse(event, 'invalid_value');
    }
  }

  private hear(bytes: Buffer): void {
    this.heard += bytes.length / 2;
    let isLoud = false;
    for (let at = 0; at < bytes.length; at += 2) isLoud ||= Math.abs(bytes.readInt16LE(at)) >= LOUD;
    this.silence = isLoud ? 0 : this.silence + bytes.length / 2;
    if (isLoud && !this.isHearing) {
      this.isHearing = true;
      this.interruptions++;
      for (const delta of (this.fake.words.shift() ?? 'hm').match(/\S+\s*/g)!)
        this.send({ type: 'session.input_transcript.delta', delta, ...this.times() });
    }
    if (!this.isHearing || (this.silence * 1000) / RATE < QUIET_MS) return;
    this.isHearing = false;
    if (this.fake.chats !== undefined) return this.fake.chats === '' ? undefined : this.say(this.fake.chats);
    const id = this.id('dlg');
    this.delegations.add(id);
    const delegation = { id, type: 'delegation', target: 'client' };
    this.send({ type: 'session.delegation.created', delegation, offset_ms: this.times().end_ms });
  }

  /** Says something a word every 20 ms, with a silence after it; the user may interrupt it. */
  private say(text: string): void {
    const { interruptions } = this;
    this.saying = this.saying.then(async () => {
      for (const delta of text.match(/\S+\s*/g)!) {
        if (interruptions !== this.interruptions) return;
        this.send({ type: 'session.output_transcript.delta', delta, ...this.times() });
        this.sound(1000);
        await delay(20);
      }
      this.sound(0);
      this.send({ type: 'session.usage.updated', usage: { seconds: 1 } });
    });
  }

  private sound(level: number): void {
    const delta = Buffer.from(new Int16Array(WORD).fill(level).buffer).toString('base64');
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(JSON.stringify({ type: 'session.output_audio.delta', delta }));
  }

  private times() {
    const ms = Math.round((this.heard * 1000) / RATE);
    return { start_ms: ms, end_ms: ms };
  }

  private refuse({ event_id }: Event, code: string): void {
    const id = event_id ? { client_event_id: event_id } : {};
    this.send({
      type: 'error',
      error: { type: 'invalid_request_error', code, message: 'Not with the key secret', ...id },
    });
  }

  private send(event: Event): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(JSON.stringify({ event_id: this.id('event'), ...event }));
  }

  private id(of: string): string {
    return `${of}_live${++this.count}`;
  }
}
