import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as soon } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { type Event, FakeSocketServer } from './fake-socket-server.js';

/** The fault of the fake. */
export type RealtimeFault =
  | 'refuses'
  | 'redirects'
  | 'ignores'
  | 'mute'
  | 'closes'
  | 'garbage'
  | 'hangs'
  | 'error'
  | 'rate-limit'
  | 'deaf';

/** Samples of each spoken word, a tenth of a second. */
const WORD = 2400;
const RATE = 24_000;
/** Samples at least this loud count as speech. */
const LOUD = 500;

/** A turn without a transcript. */
export const UNINTELLIGIBLE = '?';

/**
 * A server with OpenAI Realtime (GA) events: it treats loud audio as speech, and repeats what was said. If the user asks it
 * to call something, it calls the first function, and then tells what that returned.
 */
export class FakeRealtime extends FakeSocketServer {
  fault: RealtimeFault | undefined;
  /** Its transcripts, turn by turn. */
  readonly words: string[] = [];
  /** How often it repeats what was said. */
  times = 1;
  reportsUsage = true;

  protected upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // It has to read to notice that the client is gone.
    if (this.fault === 'ignores') return void socket.resume().once('end', () => socket.destroy());
    if (this.fault === 'refuses')
      return void socket.end('HTTP/1.1 401 Unauthorized\r\nx-key: secret\r\ncontent-length: 0\r\n\r\n');
    if (this.fault === 'redirects')
      return void socket.end(`HTTP/1.1 302 Found\r\nlocation: ${this.base_url}/other\r\ncontent-length: 0\r\n\r\n`);
    this.upgrades.handleUpgrade(request, socket, head, (webSocket) => new FakeSession(this, webSocket).begin());
  }
}

class FakeSession {
  private turn_detection: Event | null = { silence_duration_ms: 500 };
  private readonly items = new Map<string, { role: string; text: string; ms: number }>();
  private tools: Event[] = [];
  private response?: { id: string; isCancelled: boolean };
  private count = 0;
  private received = 0;
  private inBuffer = 0;
  private silence = 0;
  private speaking?: string;

  constructor(
    private readonly fake: FakeRealtime,
    private readonly socket: WebSocket,
  ) {}

  begin(): void {
    this.socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as Event;
      this.fake.received.push(event);
      this.handle(event);
    });
    if (this.fault !== 'mute') this.send({ type: 'session.created', session: { type: 'realtime', id: 'sess_up' } });
  }

  private get fault() {
    return this.fake.fault;
  }

  private handle(event: Event): void {
    switch (event.type) {
      case 'session.update':
        if (event.session.audio?.input) this.turn_detection = event.session.audio.input.turn_detection;
        this.tools = event.session.tools ?? this.tools;
        this.send({ type: 'session.updated', session: event.session });
        return this.send({ type: 'vendor.news', event_id: 'event_1', text: 'hello' });
      case 'input_audio_buffer.append':
        return this.hear(Buffer.from(event.audio, 'base64'));
      case 'input_audio_buffer.commit':
        if (this.inBuffer < WORD || this.fault === 'deaf') return this.refuse(event, 'input_audio_buffer_commit_empty');
        return this.commit(this.speaking ?? this.id('item'));
      case 'input_audio_buffer.clear':
        this.inBuffer = 0;
        return this.send({ type: 'input_audio_buffer.cleared' });
      case 'conversation.item.create': {
        const { id = this.id('item'), role = event.item.type, content, output } = event.item;
        this.items.set(id, { role, text: content?.[0].text ?? output, ms: 0 });
        return this.send({ type: 'conversation.item.added', item: { ...event.item, id } });
      }
      case 'conversation.item.delete':
        if (!this.items.delete(event.item_id)) return this.refuse(event, 'item_delete_invalid_item_id');
        return this.send({ type: 'conversation.item.deleted', item_id: event.item_id });
      case 'conversation.item.truncate':
        if ((this.items.get(event.item_id)?.ms ?? -1) < event.audio_end_ms) return this.refuse(event, 'invalid_value');
        return this.send({ ...event, type: 'conversation.item.truncated' });
      case 'response.create':
        if (this.response) return this.refuse(event, 'conversation_already_has_active_response');
        if (this.fault === 'error') return this.refuse(event, 'server_error');
        return void this.respond(event.response ?? {});
      case 'response.cancel':
        if (!this.response) return this.refuse(event, 'response_cancel_not_active');
        this.response.isCancelled = true;
        return this.fault === 'hangs' ? this.done('cancelled') : undefined;
      default:
        return this.refuse(event, 'unknown_event');
    }
  }

  private hear(bytes: Buffer): void {
    const samples = bytes.length / 2;
    this.received += samples;
    this.inBuffer += samples;
    if (!this.turn_detection) return;
    let isLoud = false;
    for (let at = 0; at < bytes.length; at += 2) isLoud ||= Math.abs(bytes.readInt16LE(at)) >= LOUD;
    this.silence = isLoud ? 0 : this.silence + samples;
    const audio_ms = Math.round((this.received * 1000) / RATE);
    if (isLoud && !this.speaking) {
      this.speaking = this.id('item');
      const audio_start_ms = audio_ms - Math.round((samples * 1000) / RATE);
      this.send({ type: 'input_audio_buffer.speech_started', audio_start_ms, item_id: this.speaking });
    }
    if (!this.speaking || (this.silence * 1000) / RATE < this.turn_detection.silence_duration_ms) return;
    this.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: audio_ms, item_id: this.speaking });
    this.commit(this.speaking);
  }

  private commit(item_id: string): void {
    this.inBuffer = 0;
    this.speaking = undefined as never;
    const transcript = this.fake.words.shift() ?? '';
    this.items.set(item_id, { role: 'user', text: transcript, ms: 0 });
    this.send({ type: 'input_audio_buffer.committed', item_id });
    this.send({ type: 'conversation.item.added', item: { id: item_id } });
    const type = 'conversation.item.input_audio_transcription';
    if (transcript === UNINTELLIGIBLE) return this.send({ type: `${type}.failed`, item_id, content_index: 0 });
    if (transcript) this.send({ type: `${type}.delta`, item_id, content_index: 0, delta: transcript });
    this.send({ type: `${type}.completed`, item_id, content_index: 0, transcript });
  }

  private async respond({ output_modalities: [modality = 'audio'] = [], instructions }: Event): Promise<void> {
    const response = (this.response = { id: this.id('resp'), isCancelled: false });
    const item_id = this.id('item');
    const response_id = response.id;
    const common = { response_id, item_id, output_index: 0, content_index: 0 };
    this.send({ type: 'response.created', response: { id: response_id, status: 'in_progress' } });
    if (this.fault === 'rate-limit')
      return this.done('failed', { type: 'failed', error: { code: 'rate_limit_exceeded', message: 'secret' } });
    const [tool] = this.tools;
    const last = [...this.items.values()].at(-1);
    if (tool && last?.role === 'user' && last.text.startsWith('call ')) {
      const item = { id: item_id, type: 'function_call', call_id: this.id('call'), name: tool.name };
      this.items.set(item_id, { role: 'function_call', text: '', ms: 0 });
      this.send({ type: 'response.output_item.added', response_id, item: { ...item, arguments: '' } });
      const args = JSON.stringify({ city: last.text.slice(5) });
      this.send({ type: 'response.output_item.done', response_id, item: { ...item, arguments: args } });
      return this.done('completed');
    }
    this.send({ type: 'response.output_item.added', response_id, item: { id: item_id, role: 'assistant' } });
    const said = [...this.items.values()].findLast(({ role }) => role === 'user')?.text;
    const returned = last?.role === 'function_call_output' ? `It returned ${last.text}` : undefined;
    const answer = instructions
      ? instructions.split(': ')[1]
      : (returned ?? `You said ${`${said} `.repeat(this.fake.times).trim()}`);
    const item = { role: 'assistant', text: answer, ms: 0 };
    this.items.set(item_id, item);
    for (const word of answer.match(/\S+\s*/g)) {
      if (response.isCancelled) return this.done('cancelled');
      if (modality === 'text') this.send({ type: 'response.output_text.delta', ...common, delta: word });
      else {
        const delta = Buffer.from(new Int16Array(WORD).fill(1000).buffer).toString('base64');
        this.send({ type: 'response.output_audio_transcript.delta', ...common, delta: word });
        this.send({ type: 'response.output_audio.delta', ...common, delta });
        item.ms += 100;
      }
      if (this.fault === 'closes') return this.socket.terminate();
      if (this.fault === 'garbage') return this.socket.send('{"secret');
      if (this.fault === 'hangs') return;
      await soon();
    }
    this.done('completed');
  }

  private done(status: string, status_details: object | null = null): void {
    const { id } = this.response!;
    this.response = undefined as never;
    this.send({
      type: 'response.done',
      response: {
        id,
        status,
        status_details,
        ...(this.fake.reportsUsage ? { usage: { input_tokens: 7, output_tokens: 3 } } : {}),
      },
    });
  }

  private refuse({ event_id = null }: Event, code: string): void {
    const message = 'Incorrect API key provided: secret';
    this.send({ type: 'error', error: { type: 'invalid_request_error', code, message, param: null, event_id } });
  }

  private send(event: Event): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(JSON.stringify({ event_id: this.id('event'), ...event }));
  }

  private id(of: string): string {
    return `${of}_up${++this.count}`;
  }
}
