import { existsSync } from 'node:fs';

/**
 * The path of a compiled program that a worker thread or child process of this service runs.
 *
 * @param module the `import.meta.url` of a file beside it
 * @param name such as `recognizer.process.js`
 * @returns beside the file; if that is TypeScript, as under Jest, in the build output; undefined if it is not compiled
 */
export function compiledProgram(module: string, name: string): URL | undefined {
  const beside = new URL(name, module);
  const parts = beside.href.split('/');
  const at = parts.lastIndexOf('src');
  const built = at < 0 ? [] : [new URL(parts.with(at, 'dist').join('/'))];
  return [beside, ...built].find((url) => existsSync(url));
}
