import { readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { ASSETS } from '../platform/http/index.js';

const PREFIX = '/assets/';
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Expected path of an avatar's portrait: beside its idle video. Undefined for an absolute URL, which is never fetched.
 */
function portraitFile(idleVideo: string): string | undefined {
  if (!idleVideo.startsWith(PREFIX)) return undefined;
  const path = posix.normalize(idleVideo.slice(PREFIX.length).replace(/[?#].*$/s, ''));
  if (path.startsWith('..') || path.startsWith('/') || /%|\\|\0/.test(path)) return undefined;
  return join(ASSETS, posix.dirname(path), 'portrait.svg');
}

/** Whether the file exists, whatever it contains. */
export async function hasPortrait(idleVideo: string): Promise<boolean> {
  const file = portraitFile(idleVideo);
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
  return found?.isFile() === true;
}

/** The text of a portrait; undefined if it is missing or too large. */
export async function portraitBeside(idleVideo: string): Promise<string | undefined> {
  const path = portraitFile(idleVideo);
  if (path === undefined) return undefined;
  const found = await stat(path).catch(() => undefined);
  return found && found.size <= MAX_BYTES ? readFile(path, 'utf8').catch(() => undefined) : undefined;
}
