import { open, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { ASSETS } from '../platform/http/index.js';
import { PORTRAIT_FILE_LIMIT } from 'avatar-chat-media';

const PREFIX = '/assets/';

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
  const file = path === undefined ? undefined : await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    return size <= PORTRAIT_FILE_LIMIT ? await file.readFile('utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
