import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Names besides the settings that belong in a `.env`: Node's own, and keys of model providers. */
const FOREIGN = /^(NODE_|TZ$|LANG$|LC_|PROVIDER_|OPENAI_)/;
/** Longer names, or names with other characters, may be part of a value, such as a secret with a line break. */
const NAME = /^[A-Za-z_]\w{0,39}$/;

/** Names of the variables of this process that {@link loadEnvFile} has set. */
const loaded = new Set<string>();

/**
 * Sets the variables of a file that are not set yet. UTF-8 or UTF-16, with or without a byte order mark.
 *
 * @returns the names in the file; none if there is no file
 */
export function loadEnvFile(path: string, environment: NodeJS.ProcessEnv): string[] {
  const variables = parseEnv(readText(path));
  for (const [name, value] of Object.entries(variables)) {
    if (environment[name] !== undefined) continue;
    environment[name] = value;
    if (environment === process.env) loaded.add(name);
  }
  return Object.keys(variables);
}

/** The names of variables that come from a file: a new process should read them there again. */
export function namesFromEnvFile(): string[] {
  return [...loaded];
}

/** A warning about names in a file that nothing reads: names, never values. Undefined if there are none. */
export function unknownNames(names: readonly string[]): string | undefined {
  const unknown = names.filter((name) => !FOREIGN.test(name));
  if (unknown.length === 0) return undefined;
  const shown = unknown.map((name) => (NAME.test(name) ? name : '(not a name)'));
  return `.env has names that are no settings of the service: ${shown.join(', ')}. Misspelt? Only secrets that the catalogue names may stay.`;
}

function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
  // Editors and shells on Windows write UTF-16. A decoder drops the byte order mark.
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
