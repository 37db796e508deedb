import { existsSync } from 'node:fs';

/**
 * The compiled program that a worker thread or child process runs.
 *
 * @param file where it is once what names it is compiled; while that is TypeScript, as under Jest, the program is in the
 *   build output
 * @returns undefined if there is none
 */
export function compiledProgram(file: URL): URL | undefined {
  const parts = file.href.split('/');
  const at = parts.lastIndexOf('src');
  const built = at < 0 ? [] : [new URL(parts.with(at, 'dist').join('/'))];
  return [file, ...built].find((url) => existsSync(url));
}
