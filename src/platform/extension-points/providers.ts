import type { DiscoveryService } from '@nestjs/core';

/** Every provider of any module that extends a class, once each. Not in a constructor: those of other modules may not exist yet. */
export function findProviders<T>(discovery: DiscoveryService, base: abstract new (...args: never[]) => T): T[] {
  const all = new Set(discovery.getProviders().map(({ instance }) => instance as unknown));
  return [...all].filter((instance): instance is T => instance instanceof base);
}
