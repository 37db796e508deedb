import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * What every answer carries. An answer that may be kept says so by a `Cache-Control` of its own; all others hold tokens,
 * configuration, histories or refusals, which no cache may keep.
 */
export const DEFAULT_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** For pages that bring no policy of their own: nobody frames them, and they send nothing elsewhere by a form. */
const PAGE_POLICY = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** Adds the headers that every answer carries, unless it has them. Called as an answer is sent. */
export function addDefaultHeaders(reply: FastifyReply): void {
  reply.header('X-Content-Type-Options', 'nosniff');
  if (!reply.hasHeader('cache-control')) reply.header('Cache-Control', 'no-store');
  const type = reply.getHeader('content-type');
  if (typeof type === 'string' && type.startsWith('text/html')) addPageHeaders(reply);
}

function addPageHeaders(reply: FastifyReply): void {
  // An address may hold a signature or a user's name, which are nobody else's.
  reply.header('Referrer-Policy', 'same-origin').header('X-Frame-Options', 'DENY');
  if (!reply.hasHeader('content-security-policy')) reply.header('Content-Security-Policy', PAGE_POLICY);
}

/** Has the routes under a path that are registered from now on answer with a policy for pages. */
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
