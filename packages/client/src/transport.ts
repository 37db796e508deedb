import { abortable, Exchange, sleep } from './abort.js';
import { AvatarChatError, errorOf, parse } from './error.js';
import type { AvatarChatOptions, CallOptions } from './options.js';
import type { ServiceRequest } from './request.js';
import type { Tokens } from './tokens.js';

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 60_000;
/** Statuses of transient errors; 0 is a network error. */
export const TRANSIENT_STATUSES = [0, 429, 502, 503, 504];
/** Those of them after which the service has not processed the request. */
export const UNPROCESSED_STATUSES = [429, 503];
const FIRST_BACKOFF_MS = 300;
const MAX_WAIT_MS = 10_000;

export interface ReadOptions extends CallOptions {
  withToken?: boolean;
  retries?: number;
  /** Statuses to retry. */
  retryOn?: readonly number[];
  /** Whether the response may have an empty body. */
  allowEmpty?: boolean;
}

/** Sends requests with the user's token, and retries them. */
export class Transport {
  /** The URL of the service, without a trailing slash. */
  readonly url: string;

  constructor(
    private readonly options: Pick<AvatarChatOptions, 'url' | 'retries' | 'timeout' | 'fetch' | 'onExchange'>,
    private readonly tokens: Tokens,
  ) {
    let end = options.url.length;
    while (options.url[end - 1] === '/') end--;
    this.url = options.url.slice(0, end);
  }

  /** An attempt of a request, with its timeout. */
  exchange(signal: AbortSignal | undefined): Exchange {
    return new Exchange(this.options.timeout ?? DEFAULT_TIMEOUT_MS, signal);
  }

  /** The JSON of a 2xx response. */
  async read<T>(path: string, request: ServiceRequest, options: ReadOptions): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const exchange = this.exchange(options.signal);
      try {
        const response = await this.open(path, request, exchange, options.withToken);
        const text = await exchange.wait(response.text());
        if (text === '' && options.allowEmpty) return undefined as T;
        const value = parse(text);
        if (value === undefined)
          throw new AvatarChatError('bad_response', 'The response is not JSON.', response.status);
        return value as T;
      } catch (error) {
        await this.beforeRetry(error, attempt, options);
      } finally {
        exchange.dispose();
      }
    }
  }

  /** A 2xx response with an unread body. On 403, renews the token and tries once more. */
  async open(path: string, request: ServiceRequest, exchange: Exchange, withToken = true): Promise<Response> {
    for (let renewed = false; ; renewed = true) {
      const token = withToken ? this.tokens.get() : undefined;
      const headers = { ...request.headers };
      if (token) headers['Authorization'] = `Bearer ${await abortable(token, exchange.caller)}`;
      const response = await exchange.wait(this.fetch(path, { ...request, headers, signal: exchange.signal }));
      if (response.ok) return response;
      const error = errorOf(response, await exchange.wait(response.text()));
      if (response.status !== 403 || !token) throw error;
      this.tokens.invalidate(token);
      if (renewed) throw error;
    }
  }

  private async fetch(path: string, request: RequestInit): Promise<Response> {
    const url = path.startsWith('/') ? this.url + path : path;
    const started = Date.now();
    const report = (status: number, request_id?: string | null) =>
      this.options.onExchange?.({
        method: request.method ?? 'GET',
        path: url.replace(/^\w+:\/\/[^/]+/, ''),
        status,
        milliseconds: Date.now() - started,
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

  /** Waits before the next attempt, or throws if there should be none. */
  async beforeRetry(
    error: unknown,
    attempt: number,
    { signal, retries, retryOn = TRANSIENT_STATUSES }: ReadOptions,
  ): Promise<void> {
    if (!(error instanceof AvatarChatError) || !retryOn.includes(error.status)) throw error;
    const wanted = retries ?? this.options.retries ?? DEFAULT_RETRIES;
    if (typeof wanted === 'number' ? attempt >= wanted : !wanted(error, attempt)) throw error;
    const { retryAfter } = error;
    const wait = retryAfter === undefined ? FIRST_BACKOFF_MS * 2 ** attempt * (1 + Math.random()) : retryAfter * 1000;
    if (wait > MAX_WAIT_MS) throw error;
    await sleep(wait, signal);
  }
}
