import { sleep } from '../abort.js';
import { AvatarChatError, networkError, parse } from '../error.js';
import { Answering } from './answering.js';
import type { LiveEvents, LiveSessionInfo, LiveSettings } from './events.js';
import { merge } from './merge.js';
import { dial, type LiveAccess } from './socket.js';

export interface LiveOptions {
  avatar_id: string;
  /** What the user speaks at first; default the project's first language. */
  language_code?: string;
  /** Of {@link AvatarChat.connect}. */
  session?: string;
  /** As what turns are stored; default `voice`. */
  chat_type?: 'voice' | 'video';
  /** Sent at the start, and again to a session that takes the place of a lost one. */
  settings?: LiveSettings;
  /** Ends the session. */
  signal?: AbortSignal;
}

/** For so long the service keeps a session that has lost its connection. */
const RESUME_MS = 30_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** About twenty seconds of sound: a connection that takes no more is lost, whatever the browser thinks. */
const MOST_BUFFERED_BYTES = 1_000_000;
const MOST_QUEUED = 100;
/** Closed on purpose, or because of what was sent: another connection would end likewise. */
const FINAL_CODES = [1000, 1002, 1003, 1007, 1009];

const TOKEN_EXPIRED = 1008;

/** Where browsers tell that there is no network. */
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;

type Listener = (event: never) => void;
type Fields = Record<string, unknown>;

/**
 * A conversation in real time. After a lost connection it goes on within 30 s; what is sent meanwhile is sent then, but
 * for sound, which is dropped.
 *
 * @example
 * ```ts
 * const live = await chat.live({ avatar_id: 'ada' });
 * live.on('response.output_audio_transcript.delta', ({ delta }) => process.stdout.write(delta));
 * live.send('Hello!');
 * ```
 */
export class LiveSession {
  /** As the service has it at present. */
  info!: LiveSessionInfo;
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly ended = new AbortController();
  private readonly abort = () => this.end();
  /** Without a network a connection only seems to be there, for minutes. */
  private readonly offline = () => this.socket && this.lost(this.socket);
  private socket?: WebSocket;
  private settings: LiveSettings;
  private readonly queue: Fields[] = [];
  private readonly answering = new Answering();
  private isKnown = false;
  /** Whether the token has expired, and with it the session of `GET /connection`. */
  private hasExpired = false;

  private constructor(
    private readonly options: LiveOptions,
    private readonly access: LiveAccess,
  ) {
    const { chat_type, settings, signal } = options;
    this.settings = merge({ ...(chat_type && { chat_type }) }, settings ?? {});
    signal?.addEventListener('abort', this.abort);
    if (signal?.aborted) this.ended.abort(signal.reason);
    page.addEventListener?.('offline', this.offline);
  }

  /** @throws AvatarChatError where the service refuses it, or cannot be reached by a WebSocket */
  static async open(options: LiveOptions, access: LiveAccess): Promise<LiveSession> {
    const session = new LiveSession(options, access);
    try {
      await session.connect();
    } catch (error) {
      session.end();
      throw options.signal?.aborted ? options.signal.reason : error;
    }
    return session;
  }

  /** Has a listener called for each event of a type. @returns what ends that */
  on<Type extends keyof LiveEvents>(type: Type, listener: (event: LiveEvents[Type]) => void): () => void;
  on(type: string & {}, listener: (event: { type: string } & Fields) => void): () => void;
  on(type: string, listener: Listener): () => void {
    const listeners = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** The `id` of the answer that is coming. */
  get response(): string | undefined {
    return this.answering.response;
  }

  /** Says something in writing, and has it answered. An answer that is coming is cancelled. */
  send(text: string): void {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    this.cancel();
    this.post('conversation.item.create', { item });
    this.respond();
  }

  /** Has the avatar answer what was said; at the very beginning, greet. Follows an answer that is coming. */
  respond(): void {
    const event_id = this.answering.ask();
    if (event_id !== undefined) this.post('response.create', { event_id });
  }

  /** What the microphone hears: sixteen-bit samples, 24,000 a second, in pieces of any length. */
  append(samples: Int16Array): void {
    const { socket } = this;
    if (socket?.readyState !== 1) return;
    if (socket.bufferedAmount > MOST_BUFFERED_BYTES) return this.lost(socket);
    socket.send(samples as Int16Array<ArrayBuffer>);
  }

  /** The end of what the user says, where it is not found by the service; {@link respond} has it answered. */
  commit(): void {
    this.postNow('input_audio_buffer.commit');
  }

  /** Forgets what was heard since the last turn. */
  clear(): void {
    this.postNow('input_audio_buffer.clear');
  }

  /** Stops the answer that is coming. */
  cancel(): void {
    if (this.answering.cancel()) this.postNow('response.cancel');
  }

  /** Tells how much of an answer has been heard; the history keeps that. */
  truncate(item_id: string, heard_ms: number): void {
    const audio_end_ms = Math.max(0, Math.round(heard_ms));
    this.post('conversation.item.truncate', { item_id, content_index: 0, audio_end_ms });
  }

  /** Changes settings; what is left out stays. */
  update(settings: LiveSettings): void {
    this.settings = merge(this.settings, settings);
    if (this.socket) this.sendSettings(settings);
  }

  /** Sends any event. */
  post(type: string, fields: Fields = {}): void {
    if (this.socket?.readyState === 1) this.postNow(type, fields);
    else if (!this.ended.signal.aborted && this.queue.length < MOST_QUEUED) this.queue.push({ type, ...fields });
  }

  /** Ends it. */
  close(): void {
    this.end();
  }

  private sendSettings(settings: LiveSettings): void {
    this.postNow('session.update', { session: { type: 'realtime', ...settings } });
  }

  private postNow(type: string, fields: Fields = {}): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify({ type, ...fields }));
  }

  /** A connection, on which `session.created` has come. */
  private async connect(): Promise<void> {
    const { avatar_id, language_code, session } = this.options;
    const query = new URLSearchParams({ model: avatar_id });
    if (language_code !== undefined) query.set('language_code', language_code);
    if (session !== undefined && !this.hasExpired) query.set('session', session);
    if (this.isKnown) query.set('resume', this.info.id);
    await dial(this.access, query, this.ended.signal, (socket, begun) => this.attach(socket, begun));
  }

  private attach(socket: WebSocket, begun: () => void): void {
    socket.addEventListener('message', ({ data }) => {
      const event = parse(String(data)) as { type?: string } | undefined;
      if (typeof event?.type !== 'string' || socket.readyState !== 1) return;
      if (event.type === 'session.created') {
        this.socket = socket;
        begun();
        this.created(event as LiveEvents['session.created']);
      }
      this.receive(event as { type: string });
    });
    socket.addEventListener('close', ({ code }) => {
      if (this.socket !== socket) return;
      if (code === TOKEN_EXPIRED) this.hasExpired = true;
      if (!FINAL_CODES.includes(code)) return this.lost(socket);
      this.end(code === 1000 ? undefined : networkError(`The live session was closed with ${code}.`));
    });
  }

  private created({ session, resumed }: LiveEvents['session.created']): void {
    this.info = session;
    this.isKnown = true;
    if (!resumed && Object.keys(this.settings).length > 0) this.sendSettings(this.settings);
    for (const { type, ...fields } of this.queue.splice(0)) this.postNow(type as string, fields);
  }

  private receive(event: { type: string }): void {
    if (event.type === 'session.updated') this.info = (event as LiveEvents['session.updated']).session;
    const next = this.answering.hear(event);
    this.tell(event);
    if (next === 'cancel') this.cancel();
    if (next === 'ask') this.respond();
  }

  private tell(event: { type: string }): void {
    for (const listener of this.listeners.get(event.type) ?? []) listener(event as never);
  }

  private lost(socket: WebSocket): void {
    this.socket = undefined;
    socket.close();
    if (!this.isKnown || this.ended.signal.aborted) return;
    this.answering.reset();
    this.tell({ type: 'lost' });
    void this.resume();
  }

  private async resume(): Promise<void> {
    const { signal } = this.ended;
    const deadline = Date.now() + RESUME_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        await sleep(wait * (1 + Math.random() / 2), signal);
        return await this.connect();
      } catch (error) {
        if (signal.aborted) return;
        const isPassing = error instanceof AvatarChatError && (error.status === 0 || error.status >= 500);
        if (!isPassing || Date.now() > deadline) {
          return this.end(error instanceof AvatarChatError ? error : networkError(String(error)));
        }
      }
    }
  }

  private end(error?: AvatarChatError): void {
    if (this.ended.signal.aborted) return;
    this.ended.abort(new AvatarChatError('live_closed', 'The live session has been closed.'));
    this.options.signal?.removeEventListener('abort', this.abort);
    page.removeEventListener?.('offline', this.offline);
    const { socket } = this;
    this.socket = undefined;
    socket?.close(1000);
    this.tell({ type: 'closed', ...(error && { error }) } as { type: string });
    this.listeners.clear();
  }
}
