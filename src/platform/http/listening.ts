import type { FastifyListenOptions as ListenOptions } from 'fastify';

/**
 * At `localhost`, its default, Fastify would listen on IPv4 and IPv6, on one of them with a second server that has none
 * of the limits and listeners of the first.
 */
export function listenOnOneAddress(fastify: { listen: unknown }): void {
  const listen = fastify.listen as (options: ListenOptions, callback?: unknown) => unknown;
  fastify.listen = (options: ListenOptions, callback?: unknown) => {
    const host = options.path === undefined ? (options.host ?? 'localhost') : options.host;
    return listen.call(fastify, { ...options, host: host === 'localhost' ? '127.0.0.1' : host }, callback);
  };
}
