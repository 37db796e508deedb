/** A request to a route of the service. */
export interface ServiceRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
  redirect?: 'error';
}

/** A call of a route that this client does not know, such as one of a module. */
export interface RequestOptions {
  /** By default GET, or with a body POST. */
  method?: string;
  /** What `fetch` sends, or any other value, as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Methods that do the same however often they are sent. */
const REPEATABLE = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

/**
 * Where a path leads.
 *
 * @param url of the service
 * @throws TypeError if that is another origin: the token must not go there
 */
export function serviceUrl(url: string, path: string): string {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const base = new URL(`${url}/`, page);
  const target = new URL(path.startsWith('/') ? url + path : path, base);
  if (target.origin !== base.origin) throw new TypeError('The path leads to another origin than that of the service.');
  return target.href;
}

/** What is sent, and whether it may be sent again when nobody knows whether it has arrived. */
export function serviceRequest({ method, body, headers }: RequestOptions): {
  request: ServiceRequest;
  repeatable: boolean;
} {
  const all = new Headers(headers);
  // The client's own; two of them would be one that is not valid.
  all.delete('Authorization');
  const isPlain = body !== undefined && !isBody(body);
  if (isPlain && !all.has('Content-Type')) all.set('Content-Type', 'application/json');
  const verb = (method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase();
  return {
    request: {
      method: verb,
      headers: Object.fromEntries(all),
      body: isPlain ? JSON.stringify(body) : (body as RequestInit['body']),
      // A redirect may lead to another origin.
      redirect: 'error',
    },
    repeatable: REPEATABLE.includes(verb) || all.has('Idempotency-Key'),
  };
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
