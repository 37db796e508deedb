import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RouteOptions } from 'fastify';
import type { Config } from './platform/config/index.js';

const DAY_IN_SECONDS = 86_400;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'X-OpenAI-Agents-SDK'];

/** What scripts of other origins may read of a response, besides the headers that browsers always show them. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

/**
 * Allows pages of other origins to call the service, if any are configured, with the methods of all routes, including
 * those of modules.
 */
export function allowOrigins(app: NestFastifyApplication, { corsOrigins, corsMethods, corsHeaders }: Config): void {
  if (corsOrigins.length === 0) return;
  // Filled as routes are registered, after the options were passed; each preflight reads it again.
  const methods = [...new Set(corsMethods.map((method) => method.toUpperCase()))];
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', ({ method }: RouteOptions) => {
      for (const one of [method].flat()) if (METHODS.includes(one) && !methods.includes(one)) methods.push(one);
      methods.sort((one, other) => rank(one) - rank(other));
    });
  app.enableCors({
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    allowedHeaders: uniqueNames([...HEADERS, ...corsHeaders]),
    exposedHeaders: EXPOSED_HEADERS,
    methods,
    maxAge: DAY_IN_SECONDS,
    // An OPTIONS request that is no preflight must not be refused, least of all with a plain-text response.
    strictPreflight: false,
  });
}

function rank(method: string): number {
  return METHODS.includes(method) ? METHODS.indexOf(method) : METHODS.length;
}

function uniqueNames(names: readonly string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
