import type { DiscoveryService } from '@nestjs/core';
import { MetadataScanner } from '@nestjs/core';

/** A method of a provider marked with a named decorator. */
export interface MarkedMethod {
  readonly name: string;
  call(...args: unknown[]): unknown;
}

/** Creates a method decorator that stores a name under a metadata key. */
export function markMethod(key: symbol, name: string): MethodDecorator {
  return (_target, _method, descriptor) => Reflect.defineMetadata(key, name, descriptor.value as object);
}

/** The names of the marked methods of a class, by method. */
export function markedNames(key: symbol, type: { prototype: object }): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const method of new MetadataScanner().getAllMethodNames(type.prototype)) {
    const value = (type.prototype as Record<string, unknown>)[method];
    const name: unknown = typeof value === 'function' ? Reflect.getMetadata(key, value) : undefined;
    if (typeof name === 'string') found.set(method, name);
  }
  return found;
}

/**
 * All methods of providers marked with a decorator.
 *
 * @throws Error if two have the same name
 */
export function findMarked(discovery: DiscoveryService, key: symbol, role: string): MarkedMethod[] {
  const found = new Map<string, MarkedMethod & { owner: unknown }>();
  for (const { metatype, instance } of discovery.getProviders()) {
    if (typeof metatype !== 'function' || !metatype.prototype || !instance) continue;
    for (const [method, name] of markedNames(key, metatype as never)) {
      const other = found.get(name);
      if (other && other.owner !== metatype) throw new Error(`Two methods are the ${role} '${name}'.`);
      const call = (...args: unknown[]) =>
        (instance as Record<string, (...args: unknown[]) => unknown>)[method]!(...args);
      found.set(name, { name, owner: metatype, call });
    }
  }
  return [...found.values()];
}
