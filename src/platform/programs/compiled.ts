import { existsSync } from 'node:fs';

/**
 * The compiled form of a program of this service that a thread or a process of its own runs.
 *
 * @param module the `import.meta.url` of a file beside it
 * @param name such as `recognizer.process.js`
 * @returns beside the file; if that is TypeScript, as under Jest, where the build puts it; undefined if it is not compiled
 */
export function compiledProgram(module: string, name: string): URL | undefined {
  const beside = new URL(name, module).href;
  return [beside, beside.replace(/\/src\/(?!.*\/src\/)/, '/dist/')]
    .map((place) => new URL(place))
    .find((url) => existsSync(url));
}
