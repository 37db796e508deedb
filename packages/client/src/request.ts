import type { Turn } from './options.js';

/** A request to a route of the service. */
export interface ServiceRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
  redirect?: 'error';
}

/** A request to a route that this client has no method for, such as a module's. */
export interface RequestOptions {
  /** Default GET, or POST if there is a body. */
  method?: string;
  /** Text, a form, a `Blob` or bytes; any other value is sent as JSON. Not a stream, which cannot be repeated. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Idempotent methods. */
const REPEATABLE = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

/**
 * Resolves a path against the service's URL.
 *
 * @param url of the service
 * @throws TypeError if the origin differs: the token must not be sent there
 */
export function serviceUrl(url: string, path: string): string {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const base = new URL(`${url}/`, page);
  const target = new URL(path.startsWith('/') ? url + path : path, base);
  if (target.origin !== base.origin) throw new TypeError('The path has another origin than the service.');
  return target.href;
}

/** The request to send, and whether it can be retried if it is unknown whether it arrived. */
export function serviceRequest({ method, body, headers }: RequestOptions): {
  request: ServiceRequest;
  repeatable: boolean;
} {
  const all = new Headers(headers);
  // The client sets it. Two values would be invalid.
  all.delete('Authorization');
  if ((body as Partial<ReadableStream> | null | undefined)?.getReader)
    throw new TypeError('A stream cannot be sent: pass a Blob or bytes.');
  const isPlain = body !== undefined && !isBody(body);
  if (isPlain && !all.has('Content-Type')) all.set('Content-Type', 'application/json');
  const verb = (method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase();
  return {
    request: {
      method: verb,
      headers: Object.fromEntries(all),
      body: isPlain ? JSON.stringify(body) : (body as RequestInit['body']),
      // A redirect may go to another origin.
      redirect: 'error',
    },
    repeatable: REPEATABLE.includes(verb) || all.has('Idempotency-Key'),
  };
}

/** A request of the client's own methods. */
type OwnRequest = Required<Omit<ServiceRequest, 'redirect'>> & { body: string | FormData };

export function jsonRequest(value: object): OwnRequest {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

export function turnRequest({ file, ...fields }: Turn, key: string): OwnRequest {
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

/** Not `randomUUID()`, which is missing on pages loaded over plain HTTP. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isBody(body: unknown): body is NonNullable<RequestInit['body']> {
  return (
    typeof body === 'string' ||
    body instanceof FormData ||
    body instanceof Blob ||
    body instanceof URLSearchParams ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body)
  );
}
