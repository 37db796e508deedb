import { t } from './translate.js';
/** Longer than the service takes for its slowest count. */
const TIMEOUT_MS = 30_000;

/** `randomUUID` exists on secure pages only. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** A request that failed. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** Whether the key does not allow the request. */
  get isForbidden(): boolean {
    return this.code === 'forbidden';
  }
}

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Undefined ones are omitted. */
  query?: Record<string, string | number | undefined>;
  /** Sent as JSON, unless it is a form. */
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Of the whole exchange, in milliseconds. 0: none. */
  timeout?: number;
}

/** The routes of operators, at addresses relative to this page's. */
export class Api {
  constructor(
    private key: string | Promise<string | undefined>,
    /** Asks for another key, after this one has become invalid. */
    private readonly askKey: () => Promise<string | undefined> = async () => undefined,
  ) {}

  /** @throws ApiError */
  async json<T>(path: string, request: ApiRequest = {}): Promise<T> {
    const response = await this.open(path, request);
    return (response.status === 204 ? undefined : await settled(response.json())) as T;
  }

  /** The response, whose body has not been read. @throws ApiError */
  async open(path: string, request: ApiRequest = {}): Promise<Response> {
    const { key } = this;
    const token = await key;
    const { method = 'GET', query = {}, body, headers = {}, signal, timeout = TIMEOUT_MS } = request;
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const isForm = body instanceof FormData;
    const signals = [...(signal ? [signal] : []), ...(timeout > 0 ? [AbortSignal.timeout(timeout)] : [])];
    const response = await settled(
      fetch(`admin/${path}${search && `?${search}`}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body && !isForm ? { 'Content-Type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
        ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      }),
    );
    if (response.ok) return response;
    const error = await errorOf(response);
    if (error.code !== 'invalid_admin_key') throw error;
    // Once for all requests that failed; later ones wait for it.
    if (this.key === key) this.key = this.askKey();
    if ((await this.key) === undefined) throw error;
    return this.open(path, request);
  }
}

/** A failure to reach the service as an error that says so. */
export async function settled<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'unreachable', t('The service cannot be reached. Please try again.'));
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const { error = 'unknown', message = t('The service answered {0}.', response.status) } = (await response
    .json()
    .catch(() => ({}))) as { error?: string; message?: string };
  return new ApiError(response.status, error, message);
}
