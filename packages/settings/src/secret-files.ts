import { closeSync, fstatSync, openSync, readSync, constants } from 'node:fs';
import { SETTINGS } from './settings.js';
import type { SettingFault } from './read-settings.js';
import type { Setting } from 'avatar-chat-runtime';
import { secretNames } from './secret-names.js';

const SUFFIX = '_FILE';
/** Maximum size of a file with a secret, in bytes. */
const MAX_BYTES = 64 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

const SECRETS = Object.entries<Setting>(SETTINGS)
  .filter(([, { secret }]) => secret)
  .map(([name]) => name);

/** Names of variables that may name a file with a secret: of settings, and of keys that the catalogue may name. */
export function isSecretFileName(name: string, listed: readonly string[]): boolean {
  if (!name.endsWith(SUFFIX) || name === SUFFIX) return false;
  const secret = name.slice(0, -SUFFIX.length);
  return SECRETS.includes(secret) || /^PROVIDER_./.test(secret) || listed.includes(secret);
}

/**
 * Reads the secrets that are given as files: for `JWT_SECRET_FILE`, the text of that file is `JWT_SECRET`. White space
 * at its end is cut.
 *
 * @returns the secrets by name. Faults name the variable, and neither its value, which may be a misplaced secret, nor
 *   what the file holds
 */
export function readSecretFiles(environment: Environment): {
  secrets: Record<string, string>;
  faults: SettingFault[];
} {
  const listed = secretNames.parse(environment.CATALOGUE_SECRETS?.trim() ?? '') ?? [];
  const secrets: Record<string, string> = {};
  const faults: SettingFault[] = [];
  for (const [name, given] of Object.entries(environment)) {
    const path = given?.trim();
    // Such a variable may itself be a key that the catalogue names.
    if (!path || !isSecretFileName(name, listed) || listed.includes(name)) continue;
    const secret = name.slice(0, -SUFFIX.length);
    if (environment[secret]?.trim()) faults.push({ name, rule: `and ${secret} are both set: set one of them` });
    else
      try {
        secrets[secret] = secretIn(path);
      } catch (error) {
        const reason = error instanceof UnusableFile ? error.message : 'that can be read';
        faults.push({ name, rule: `must name a file ${reason}` });
      }
  }
  return { secrets, faults };
}

class UnusableFile extends Error {}

function secretIn(path: string): string {
  // A pipe without a writer would block the start.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new UnusableFile('and not a directory or device');
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > MAX_BYTES) throw new UnusableFile(`of at most ${MAX_BYTES / 1024} KiB`);
    const text = textOf(bytes.subarray(0, length)).trimEnd();
    if (!text) throw new UnusableFile('that is not empty');
    return text;
  } finally {
    closeSync(file);
  }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnusableFile('of UTF-8 text');
  }
}
