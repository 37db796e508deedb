import { sleep } from '../abort.js';
import { AvatarChatError, networkError, parse } from '../error.js';
import { newKey } from '../request.js';
import { ResponseTracker } from './response-tracker.js';
import type { LiveEvents, LiveSessionInfo, LiveSettings } from './events.js';
import { type Listener, Listeners } from './listeners.js';
import { merge } from './merge.js';
import type { LiveOptions } from './options.js';
import { openSocket, type LiveAccess } from './socket.js';

/** How long the service keeps a session without a connection. */
const RESUME_MS = 30_000;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5000;
/** About 20 s of audio. If more is buffered, the connection counts as lost, whatever the browser reports. */
const MAX_BUFFERED_BYTES = 1_000_000;
const MOST_QUEUED = 100;
/** The connection was closed on purpose, or because of what was sent: reconnecting would not help. */
const FINAL_CODES = [1000, 1002, 1003, 1007, 1009];

const TOKEN_EXPIRED = 1008;

/** Emits `offline` in browsers. */
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;

type Fields = Record<string, unknown>;

/**
 * A conversation in real time. After a lost connection it reconnects within 30 s. Events posted meanwhile are sent then;
 * audio is dropped.
 *
 * @example
 * ```ts
 * const live = await chat.live({ avatar_id: 'ada' });
 * live.on('response.output_audio_transcript.delta', ({ delta }) => process.stdout.write(delta));
 * live.send('Hello!');
 * ```
 */
export class LiveSession {
  /** The session as the service last reported it. */
  info!: LiveSessionInfo;
  private readonly listeners = new Listeners();
  private readonly ended = new AbortController();
  private readonly abort = () => this.endSession();
  /** When the network is down, a dead connection looks alive for minutes. */
  private readonly offline = () => this.socket && this.lost(this.socket);
  private socket?: WebSocket;
  private settings: LiveSettings;
  private readonly queue: Fields[] = [];
  private readonly responses = new ResponseTracker();
  private isKnown = false;
  /** Whether the token has expired, and with it the session from `GET /connection`. */
  private hasExpired = false;

  private constructor(
    private readonly options: LiveOptions,
    private readonly access: LiveAccess,
  ) {
    const { chat_type, settings, signal } = options;
    // Speech over the rest of an answer is noticed by them.
    const audio = { input: { transcription: { interim_results: true } } };
    this.settings = merge({ ...(chat_type && { chat_type }), audio }, settings ?? {});
    signal?.addEventListener('abort', this.abort);
    if (signal?.aborted) this.ended.abort(signal.reason);
    page.addEventListener?.('offline', this.offline);
  }

  /** @throws AvatarChatError if the service rejects the session, or cannot be reached by WebSocket */
  static async open(options: LiveOptions, access: LiveAccess): Promise<LiveSession> {
    const session = new LiveSession(options, access);
    try {
      await session.connect();
    } catch (error) {
      session.endSession();
      throw options.signal?.aborted ? options.signal.reason : error;
    }
    return session;
  }

  /** Adds a listener for events of a type. @returns a function that removes it */
  on<Type extends keyof LiveEvents>(type: Type, listener: (event: LiveEvents[Type]) => void): () => void;
  on(type: string & {}, listener: (event: { type: string } & Fields) => void): () => void;
  on(type: string, listener: Listener): () => void {
    return this.listeners.add(type, listener);
  }

  /** The `id` of the answer in progress. */
  get response(): string | undefined {
    return this.responses.response;
  }

  /** Sends text and requests an answer. Cancels an answer in progress. @returns the `id` of the item */
  send(text: string): string {
    const id = newKey();
    const item = { id, type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    this.cancel();
    this.post('conversation.item.create', { item });
    this.respond();
    return id;
  }

  /** Requests an answer to the conversation so far; at the very beginning, a greeting. Waits for an answer in progress. */
  respond(): void {
    const event_id = this.responses.request();
    if (event_id !== undefined) this.post('response.create', { event_id });
  }

  /** Sends microphone audio: 16-bit samples at 24 kHz, in chunks of any length. */
  append(samples: Int16Array): void {
    const { socket } = this;
    if (socket?.readyState !== 1) return;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return this.lost(socket);
    socket.send(samples as Int16Array<ArrayBuffer>);
  }

  /** Ends the user's turn, if the service does not detect turns. {@link respond} requests the answer. */
  commit(): void {
    this.post('input_audio_buffer.commit');
  }

  /** Discards the audio since the last turn. */
  clear(): void {
    this.post('input_audio_buffer.clear');
  }

  /** Cancels the answer in progress. */
  cancel(): void {
    if (this.responses.cancel()) this.postNow('response.cancel');
  }

  /** Reports how much of an answer was heard. The history keeps only that part. */
  truncate(item_id: string, heard_ms: number): void {
    const audio_end_ms = Math.max(0, Math.round(heard_ms));
    this.post('conversation.item.truncate', { item_id, content_index: 0, audio_end_ms });
  }

  /** Changes settings. Omitted ones stay unchanged. */
  update(settings: LiveSettings): void {
    this.settings = merge(this.settings, settings);
    this.sendSettings(settings);
  }

  /** Sends any event. */
  post(type: string, fields: Fields = {}): void {
    if (this.socket?.readyState === 1) this.postNow(type, fields);
    else if (!this.ended.signal.aborted && this.queue.length < MOST_QUEUED) this.queue.push({ type, ...fields });
  }

  /** Ends the session. */
  close(): void {
    this.endSession();
  }

  private sendSettings(settings: LiveSettings): void {
    this.post('session.update', { session: { type: 'realtime', ...settings } });
  }

  private postNow(type: string, fields: Fields = {}): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify({ type, ...fields }));
  }

  /** Connects, and waits for `session.created`. */
  private async connect(): Promise<void> {
    const { avatar_id, language_code, session } = this.options;
    const query = new URLSearchParams({ model: avatar_id });
    if (language_code !== undefined) query.set('language_code', language_code);
    if (session !== undefined && !this.hasExpired) query.set('session', session);
    if (this.isKnown) query.set('resume', this.info.id);
    await openSocket(this.access, query, this.ended.signal, (socket, begun) => this.attach(socket, begun));
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
      this.endSession(code === 1000 ? undefined : networkError(`The live session was closed with ${code}.`));
    });
  }

  private created({ session, resumed }: LiveEvents['session.created']): void {
    this.info = session;
    this.isKnown = true;
    if (!resumed) this.sendSettings(this.settings);
    for (const { type, ...fields } of this.queue.splice(0)) this.postNow(type as string, fields);
  }

  private receive(event: { type: string }): void {
    if (event.type === 'session.updated') this.info = (event as LiveEvents['session.updated']).session;
    const next = this.responses.handle(event);
    this.listeners.notify(event);
    if (next === 'cancel') this.cancel();
    if (next === 'request') this.respond();
  }

  private lost(socket: WebSocket): void {
    this.socket = undefined;
    socket.close();
    if (!this.isKnown || this.ended.signal.aborted) return;
    this.responses.reset();
    this.listeners.notify({ type: 'lost' });
    void this.resume();
  }

  private async resume(): Promise<void> {
    const { signal } = this.ended;
    const deadline = Date.now() + RESUME_MS;
    for (let wait = FIRST_BACKOFF_MS; ; wait = Math.min(2 * wait, MAX_BACKOFF_MS)) {
      try {
        await sleep(wait * (1 + Math.random() / 2), signal);
        return await this.connect();
      } catch (error) {
        if (signal.aborted) return;
        const isPassing = error instanceof AvatarChatError && (error.status === 0 || error.status >= 500);
        if (!isPassing || Date.now() > deadline) {
          return this.endSession(error instanceof AvatarChatError ? error : networkError(String(error)));
        }
      }
    }
  }

  private endSession(error?: AvatarChatError): void {
    if (this.ended.signal.aborted) return;
    this.ended.abort(new AvatarChatError('live_closed', 'The live session has been closed.'));
    this.options.signal?.removeEventListener('abort', this.abort);
    page.removeEventListener?.('offline', this.offline);
    const { socket } = this;
    this.socket = undefined;
    socket?.close(1000);
    this.listeners.notify({ type: 'closed', ...(error && { error }) } as { type: string });
    this.listeners.clear();
  }
}
