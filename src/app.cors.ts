import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RouteOptions } from 'fastify';
import type { Config } from './platform/config/index.js';

const DAY_IN_SECONDS = 86_400;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key'];

/** Lets pages of other origins call the service, if there are such: with the methods of all routes, those of modules included. */
export function allowOrigins(app: NestFastifyApplication, { corsOrigins, corsMethods, corsHeaders }: Config): void {
  if (corsOrigins.length === 0) return;
  // Filled as routes come, after the options have been given: a preflight reads it anew.
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
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'WWW-Authenticate'],
    methods,
    maxAge: DAY_IN_SECONDS,
    // An OPTIONS that is no preflight is nothing to refuse, least of all in plain text.
    strictPreflight: false,
  });
}

function rank(method: string): number {
  return METHODS.includes(method) ? METHODS.indexOf(method) : METHODS.length;
}

function uniqueNames(names: readonly string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
