import { abortable, Exchange, sleep } from './abort.js';
import { AvatarChatError, errorOf, networkError, parse } from './error.js';
import { readEvents } from './events.js';
import { type LiveOptions, LiveSession } from './live/session.js';
import type { WebSocketClass } from './live/socket.js';
import { type RequestOptions, serviceRequest, type ServiceRequest, serviceUrl } from './request.js';
import { Tokens } from './tokens.js';
import type {
  ConnectionResponse,
  ErrorBody,
  HistoryPage,
  Message,
  SpeechDetails,
  SpokenGreeting,
  SpokenSentence,
  TokenRequest,
  TokenResponse,
  TurnRequest,
  TurnResponse,
} from './types.js';

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT = 60_000;
/** Statuses that may be gone a moment later; 0 is a network error. */
const PASSING = [0, 429, 502, 503, 504];
/** Of these, those that say that nothing has been done. */
const UNDONE = [429, 503];
const FIRST_WAIT = 300;
const LONGEST_WAIT = 10_000;

export interface AvatarChatOptions extends TokenRequest {
  /** Where the service is, such as `https://chat.example.org`. */
  url: string;
  /** Gets a token from a server of yours, instead of `POST /jwt`. */
  getToken?: () => Promise<string>;
  /** How often a request is repeated after a failure that may pass, default 2; or which failures are, from attempt 0. */
  retries?: number | ((error: AvatarChatError, attempt: number) => boolean);
  /** After how many milliseconds in which nothing comes a request is given up; default 60,000. */
  timeout?: number;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch;
  /** Instead of the global `WebSocket`, which Node has since version 22: that of the package `ws`, for instance. */
  WebSocket?: WebSocketClass;
  /** Told of each answer, and of each failure to get one. */
  onExchange?: (exchange: ExchangeReport) => void;
}

/** What became of one request over the network. */
export interface ExchangeReport {
  method: string;
  /** Path and query. */
  path: string;
  /** 0 where there was no answer. */
  status: number;
  milliseconds: number;
  request_id?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface ConnectOptions extends CallOptions {
  /** In which language the avatars greet; by default the browser's, or the project's first. */
  language_code?: string;
}

export interface TurnOptions extends CallOptions {
  /** Names the turn, so that repeating it stores it once. Made for each turn where it is left out. */
  idempotencyKey?: string;
}

/** What a user says; with a `file`, it is said with a recording. */
export interface Turn extends TurnRequest {
  file?: Blob;
}

export interface PageOptions extends CallOptions {
  /** 1–1000. */
  per_page?: number;
  /** The `_id` of a message: those before it. */
  before?: string;
}

/**
 * What happens in a turn. After `restart` the answer begins anew: what `delta` and `audio` have brought so far no longer
 * counts; after `interrupted`, what comes is as much of it as was generated before the connection broke. `audio` brings the
 * sentences of voice and video answers, to be played in order.
 */
export type TurnEvent =
  | { event: 'outgoing'; message: Message }
  | { event: 'delta'; text: string }
  | { event: 'audio'; sentence: SpokenSentence }
  | { event: 'restart' }
  | { event: 'interrupted' }
  | { event: 'incoming'; message: Message };

/**
 * The service, as one user sees it. It keeps a token, renews it on 403 and repeats the request, once; requests that meet
 * a 403 together share one renewal. What fails in passing is repeated within bounds: no answer, 429, 502, 503, 504.
 *
 * Everything rejects with an {@link AvatarChatError}, or with the signal's reason after an abort.
 *
 * @example
 * ```ts
 * const chat = new AvatarChat({ url: 'http://127.0.0.1:3000', user_id: 'user-1' });
 * const { avatars_info } = await chat.connect();
 * const { incoming } = await chat.turn({ avatar_id: avatars_info[0]._id, request: 'Hello!' });
 * ```
 */
export class AvatarChat {
  private readonly url: string;
  private readonly tokens: Tokens;
  private readonly timeout: number;

  constructor(private readonly options: AvatarChatOptions) {
    let end = options.url.length;
    while (options.url[end - 1] === '/') end--;
    this.url = options.url.slice(0, end);
    this.timeout = options.timeout ?? DEFAULT_TIMEOUT;
    this.tokens = new Tokens(options.getToken ?? (() => this.issueToken()));
  }

  /** What there is to choose from; opens a session. */
  connect({ language_code, signal }: ConnectOptions = {}): Promise<ConnectionResponse> {
    const headers = language_code === undefined ? undefined : { 'Accept-Language': language_code };
    return this.read('/connection', { headers }, { signal });
  }

  /** How an avatar's greeting sounds; `url` is absent if it cannot be spoken. */
  greeting(avatar_id: string, { language_code, signal }: ConnectOptions = {}): Promise<SpokenGreeting> {
    const query = new URLSearchParams({ avatar_id });
    if (language_code !== undefined) query.set('language_code', language_code);
    return this.read(`/speech/greeting?${query}`, {}, { signal });
  }

  /** Says something, and waits for the whole answer. Leaving early does not stop the avatar. */
  turn(turn: Turn, { signal, idempotencyKey = newKey() }: TurnOptions = {}): Promise<TurnResponse> {
    return this.read('/chat', turnRequest(turn, idempotencyKey), { signal });
  }

  /** Says something, and tells the answer as it comes. Leaving the loop, or an abort, interrupts the avatar. */
  async *stream(turn: Turn, { signal, idempotencyKey = newKey() }: TurnOptions = {}): AsyncGenerator<TurnEvent, void> {
    const request = turnRequest(turn, idempotencyKey);
    request.headers['Accept'] = 'text/event-stream';
    let outgoing = false;
    let spoken = false;
    let incoming = false;
    for (let attempt = 0; ; attempt++) {
      const exchange = new Exchange(this.timeout, signal);
      try {
        const { body } = await this.open('/chat', request, exchange);
        if (spoken) yield { event: 'restart' };
        spoken = false;
        for await (const { event, data } of readEvents(body!, exchange)) {
          if (event === 'error') throw errorOfEvent(data as ErrorBody);
          if (event === 'delta') {
            spoken = true;
            yield { event, text: (data as { text: string }).text };
          } else if (event === 'audio') {
            spoken = true;
            yield { event, sentence: data as SpokenSentence };
          } else if (event === 'interrupted') {
            yield { event };
          } else if (event === 'incoming') {
            // Read on to the end, so that the connection can be used again.
            incoming = true;
            yield { event, message: data as Message };
          } else if (event === 'outgoing' && !outgoing) {
            outgoing = true;
            yield { event, message: data as Message };
          }
        }
        if (incoming) return;
        throw networkError('The answer broke off.');
      } catch (error) {
        if (incoming) return;
        await this.beforeRetry(error, attempt, { signal });
      } finally {
        exchange.end();
      }
    }
  }

  /** A spoken conversation with an avatar that `hasLiveMode`. */
  live(options: LiveOptions): Promise<LiveSession> {
    return LiveSession.open(options, {
      url: this.url,
      WebSocket: this.options.WebSocket,
      token: () => this.tokens.get(),
      check: () => this.read('/v1/realtime/client_secrets', jsonRequest({}), { signal: options.signal, retries: 0 }),
    });
  }

  /** One page of the history, newest first. */
  page({ per_page, before, signal }: PageOptions = {}): Promise<HistoryPage> {
    const query = new URLSearchParams({ user_id: this.options.user_id });
    if (per_page !== undefined) query.set('per_page', String(per_page));
    if (before !== undefined) query.set('before', before);
    return this.read(`/chat?${query}`, {}, { signal });
  }

  /** The history, newest first, each message once, also while others arrive. Pages are read as they are needed. */
  async *history({ per_page, before, signal }: PageOptions = {}): AsyncGenerator<Message, void> {
    for (let more = true; more;) {
      const page = await this.page({ per_page, before, signal });
      yield* page.payload;
      before = page.payload.at(-1)?._id;
      more = page.has_more_messages && before !== undefined;
    }
  }

  /** When which sound is spoken in the `fileUrl` of an answer. */
  speech(fileUrl: string, { signal }: CallOptions = {}): Promise<SpeechDetails> {
    const url = new URL(fileUrl);
    url.pathname += '/details';
    return this.read(url.href, {}, { signal, withToken: false });
  }

  /**
   * The token, for requests that are made in another way.
   *
   * @param refused the one that was answered with 403, to get another
   */
  async token(refused?: string): Promise<string> {
    const current = this.tokens.get();
    if (refused !== undefined && (await current) === refused) this.tokens.forget(current);
    return this.tokens.get();
  }

  /**
   * Calls any route of the service, such as one of a module, with the token, its renewal and retries. What may change
   * something is only retried if it did not come to that, or has an `Idempotency-Key`.
   *
   * @param path such as `/ratings/1`, of the service's origin
   * @returns the JSON of the answer; undefined if it has no body
   * @throws TypeError if the path leads to another origin
   */
  async request<T = unknown>(path: string, options: RequestOptions = {}): Promise<T> {
    const { request, repeatable } = serviceRequest(options);
    const url = serviceUrl(this.url, path);
    return this.read<T>(url, request, { signal: options.signal, passing: repeatable ? PASSING : UNDONE, empty: true });
  }

  /** Without repeating: whoever needs the token repeats. */
  private async issueToken(): Promise<string> {
    const { user_id, project_id, user_hash } = this.options;
    const request = jsonRequest({ user_id, project_id, user_hash });
    return (await this.read<TokenResponse>('/jwt', request, { withToken: false, retries: 0 })).jwt;
  }

  /** The JSON of a 2xx answer. */
  private async read<T>(path: string, request: ServiceRequest, options: ReadOptions): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const exchange = new Exchange(this.timeout, options.signal);
      try {
        const response = await this.open(path, request, exchange, options.withToken);
        const text = await exchange.wait(response.text());
        if (text === '' && options.empty) return undefined as T;
        const value = parse(text);
        if (value === undefined) throw new AvatarChatError('bad_response', 'The answer is not JSON.', response.status);
        return value as T;
      } catch (error) {
        await this.beforeRetry(error, attempt, options);
      } finally {
        exchange.end();
      }
    }
  }

  /** A 2xx answer whose body is still to come. On 403, once, with another token. */
  private async open(path: string, request: ServiceRequest, exchange: Exchange, withToken = true): Promise<Response> {
    for (let renewed = false; ; renewed = true) {
      const token = withToken ? this.tokens.get() : undefined;
      const headers = { ...request.headers };
      if (token) headers['Authorization'] = `Bearer ${await abortable(token, exchange.caller)}`;
      const response = await exchange.wait(this.fetch(path, { ...request, headers, signal: exchange.signal }));
      if (response.ok) return response;
      const error = errorOf(response, await exchange.wait(response.text()));
      if (response.status !== 403 || !token) throw error;
      this.tokens.forget(token);
      if (renewed) throw error;
    }
  }

  private async fetch(path: string, request: RequestInit): Promise<Response> {
    const url = path.startsWith('/') ? this.url + path : path;
    const begun = Date.now();
    const report = (status: number, request_id?: string | null) =>
      this.options.onExchange?.({
        method: request.method ?? 'GET',
        path: url.replace(/^\w+:\/\/[^/]+/, ''),
        status,
        milliseconds: Date.now() - begun,
        request_id: request_id ?? undefined,
      });
    try {
      const response = await (this.options.fetch ?? fetch)(url, request);
      report(response.status, response.headers.get('X-Request-Id'));
      return response;
    } catch (error) {
      report(0);
      throw error;
    }
  }

  /** Waits until it is time to try again, or throws where there is no sense in it. */
  private async beforeRetry(
    error: unknown,
    attempt: number,
    { signal, retries, passing = PASSING }: ReadOptions,
  ): Promise<void> {
    if (!(error instanceof AvatarChatError) || !passing.includes(error.status)) throw error;
    const wanted = retries ?? this.options.retries ?? DEFAULT_RETRIES;
    if (typeof wanted === 'number' ? attempt >= wanted : !wanted(error, attempt)) throw error;
    const { retryAfter } = error;
    const wait = retryAfter === undefined ? FIRST_WAIT * 2 ** attempt * (1 + Math.random()) : retryAfter * 1000;
    if (wait > LONGEST_WAIT) throw error;
    await sleep(wait, signal);
  }
}

interface ReadOptions extends CallOptions {
  withToken?: boolean;
  retries?: number;
  /** Statuses after which it is repeated. */
  passing?: readonly number[];
  /** Whether an answer may have no body. */
  empty?: boolean;
}

/** As it is sent for this client's own calls. */
type OwnRequest = Required<Omit<ServiceRequest, 'redirect'>> & { body: string | FormData };

function jsonRequest(value: object): OwnRequest {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

function turnRequest({ file, ...fields }: Turn, key: string): OwnRequest {
  const request = jsonRequest(fields);
  if (file) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value));
    form.append('file', file, 'recording');
    request.body = form;
    request.headers = {};
  }
  request.headers['Idempotency-Key'] = key;
  return request;
}

/** Not `randomUUID()`, which pages that came over plain HTTP do not have. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function errorOfEvent({ error, message, status, request_id }: ErrorBody): AvatarChatError {
  return new AvatarChatError(error, message, status, request_id);
}
