import { existsSync } from 'node:fs';

/**
 * Makes something of a compiled program of this directory: beside this file; where this is TypeScript, as under Jest,
 * where the build puts it.
 *
 * @returns undefined where it is not compiled
 */
export function compiled<T>(name: string, make: (file: URL) => T): T | undefined {
  const places = [`./${name}`, `../../dist/speech/${name}`];
  const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
  return file && make(file);
}
