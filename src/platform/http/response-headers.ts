import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * Headers of every response. A cacheable response sets its own `Cache-Control`; all others hold tokens, configuration,
 * histories or errors, which must not be cached.
 */
export const DEFAULT_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** Headers of a stream of events. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Default policy for pages without their own: no framing, and forms submit nowhere else. */
const PAGE_POLICY = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** Adds the headers of every response, unless they are set. Called when a response is sent. */
export function addDefaultHeaders(reply: FastifyReply): void {
  reply.header('X-Content-Type-Options', 'nosniff');
  if (!reply.hasHeader('cache-control')) reply.header('Cache-Control', 'no-store');
  const type = reply.getHeader('content-type');
  if (typeof type === 'string' && type.startsWith('text/html')) addPageHeaders(reply);
}

function addPageHeaders(reply: FastifyReply): void {
  // A URL may contain a signature or a user's name, so it must not leak as a referrer.
  reply.header('Referrer-Policy', 'same-origin').header('X-Frame-Options', 'DENY');
  if (!reply.hasHeader('content-security-policy')) reply.header('Content-Security-Policy', PAGE_POLICY);
}

/** Sets a CSP for pages on the routes under a path that are registered from now on. */
export function setPagePolicy(fastify: FastifyInstance, path: string, policy: string): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url !== path && !route.url.startsWith(`${path}/`)) return;
    const hooks = [route.onRequest ?? []].flat();
    route.onRequest = [
      ...hooks,
      (_request, reply, done) => {
        reply.header('Content-Security-Policy', policy);
        done();
      },
    ];
  });
}
