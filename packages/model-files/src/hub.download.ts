import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ModelError } from './model.error.js';

/** A file to fetch. What is known of it beforehand is checked. */
export interface RemoteFile {
  readonly name: string;
  readonly url: string;
  /** Bytes. */
  readonly size?: number;
  /** Hexadecimal. */
  readonly sha256?: string;
  readonly md5?: string;
  /** Redirects to any host are followed, not only to the same one and to the storage of the public hub. */
  readonly isStoredAnywhere?: boolean;
}

/** Stall timeout in milliseconds, for the response's header too. */
const STALLED_MS = 30_000;
/** Attempts in a row that bring nothing. */
const ATTEMPTS = 4;
/** Longest wait that a server may ask for, in seconds. */
const LONGEST_WAIT = 60;
const MAX_REDIRECTS = 5;
/** Where the public hub keeps large files. */
const STORAGE = /(^|\.)(huggingface\.co|hf\.co)$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

type Progress = (received: number, total?: number) => void;

/** A failure that is worth another attempt. */
class Interruption extends Error {
  constructor(
    message: string,
    readonly waitMs = 500,
  ) {
    super(message);
  }
}

/**
 * Fetches a file, or the rest of one that was interrupted, and checks it.
 *
 * @param path of the file; after an interruption, the part that has arrived stays there, and after a fault nothing
 * @param onProgress is called with the bytes that are there, and those of the whole file if the server states them
 * @param limit of a file whose size is not known, in bytes
 * @returns its SHA-256, hexadecimal
 * @throws ModelError
 */
export async function downloadFile(
  file: RemoteFile,
  path: string,
  onProgress: Progress = () => undefined,
  limit = 4 * 2 ** 30,
): Promise<string> {
  const tag = `${path}.etag`;
  try {
    let { sha256 } = file;
    for (let attempt = 1; ; attempt++) {
      const before = await sizeOf(path);
      try {
        const stated = await fetchRest(file, path, tag, onProgress, limit);
        sha256 ??= stated;
        break;
      } catch (error) {
        if (error instanceof ModelError || file.url.startsWith('file:')) throw error;
        if ((await sizeOf(path)) > before) attempt = 1;
        const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
        if (code === 'ENOSPC' || code === 'EDQUOT') throw fault(file, 'the disk is full');
        if (attempt === ATTEMPTS) {
          const reason = error instanceof Interruption ? error.message : 'the connection failed';
          throw new Interruption(`${file.name} could not be fetched: ${reason}; the same command goes on with it.`);
        }
        await delay(error instanceof Interruption ? error.waitMs : 500 * attempt);
      }
    }
    const found = await digestOf(path);
    if ((sha256 && found !== sha256) || (file.md5 && (await digestOf(path, 'md5')) !== file.md5))
      throw fault(file, 'it is not the file that is expected');
    await rm(tag, { force: true });
    return found;
  } catch (error) {
    if (error instanceof Interruption) throw new ModelError(error.message, { cause: error }, true);
    await Promise.all([path, tag].map((one) => rm(one, { force: true })));
    throw error;
  }
}

/** The text of a small file. @param limit in bytes. @throws ModelError */
export async function readRemote(file: RemoteFile, limit: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hub-'));
  try {
    const path = join(directory, 'file');
    await downloadFile(file, path, undefined, limit);
    return await readFile(path, 'utf8');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** @returns the digest that the server states, if it does */
async function fetchRest(
  file: RemoteFile,
  path: string,
  tag: string,
  onProgress: Progress,
  limit: number,
): Promise<string | undefined> {
  if (file.url.startsWith('file:')) return copyFile(new URL(file.url), path).then(() => undefined);
  const there = await sizeOf(path);
  const etag = there > 0 ? await readFile(tag, 'utf8').catch(() => '') : '';
  if (there > 0 && there === file.size) return undefined;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), STALLED_MS);
  try {
    const canResume = there > 0 && there < (file.size ?? limit) && Boolean(etag || file.sha256 || file.md5);
    const headers = {
      'accept-encoding': 'identity',
      ...(canResume ? { range: `bytes=${there}-`, ...(etag ? { 'if-range': etag } : {}) } : {}),
    };
    const { response, sha256 } = await follow(file, headers, stalled.signal);
    if (response.status === 416) await rm(path, { force: true });
    if (response.status === 416) throw new Interruption('the server has no such part');
    const start = response.status === 206 ? startOf(response) : 0;
    const total = start + Number(response.headers.get('content-length') ?? NaN);
    if (start !== 0 && start !== there) throw fault(file, 'the server sends another part than was asked for');
    if (file.size !== undefined && total >= 0 && total !== file.size)
      throw fault(file, `it has ${total} bytes instead of ${file.size}`);
    await writeFile(tag, strongTag(response.headers.get('etag')));
    let received = start;
    const counter = new Transform({
      transform(piece: Buffer, _, done) {
        timer.refresh();
        received += piece.length;
        onProgress(received, total || undefined);
        done(received > (file.size ?? limit) ? fault(file, 'it is larger than it should be') : null, piece);
      },
    });
    const body = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
    await pipeline(body, counter, createWriteStream(path, { flags: start > 0 ? 'a' : 'w', flush: true }));
    if (received < (file.size ?? total)) throw new Interruption('the connection broke');
    return sha256;
  } catch (error) {
    if (stalled.signal.aborted) throw new Interruption('the server stopped sending');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Follows redirects to the same host, or to the hub's storage. */
async function follow(file: RemoteFile, headers: Record<string, string>, signal: AbortSignal) {
  let url = new URL(file.url);
  let sha256: string | undefined;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    assertSafe(url);
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    sha256 ??= /^"?([0-9a-f]{64})"?$/.exec(response.headers.get('x-linked-etag') ?? '')?.[1];
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location) {
      await response.body?.cancel();
      const next = new URL(location, url);
      if (
        !file.isStoredAnywhere &&
        next.host !== url.host &&
        !(next.protocol === 'https:' && STORAGE.test(next.hostname))
      )
        throw fault(file, 'the server redirects to another host');
      url = next;
      continue;
    }
    if (response.status === 416) return { response, sha256 };
    if (response.ok && !/\bhtml\b/.test(response.headers.get('content-type') ?? '')) return { response, sha256 };
    await response.body?.cancel();
    throw failureOf(file, response);
  }
  throw fault(file, 'the server redirects too often');
}

function failureOf(file: RemoteFile, { status, headers }: Response): Error {
  if (status < 300) return fault(file, 'the server sends a web page instead');
  if (status === 404 || status === 410) return fault(file, 'the server does not have it');
  if (status === 401 || status === 403) return fault(file, 'the server does not give it to everybody');
  const wait = secondsOf(headers.get('retry-after')) ?? (status === 429 ? 5 : 1);
  if (status !== 429 && status < 500) return fault(file, `the server answers ${status}`);
  if (wait > LONGEST_WAIT) return fault(file, `the server is busy (${status}) and asks to try again later`);
  return new Interruption(`the server answers ${status}`, 1000 * Math.max(0.1, wait));
}

/** A `Retry-After` header: a number of seconds, or a date in any of HTTP's formats, all of them in GMT. */
function secondsOf(header: string | null): number | undefined {
  const seconds = /^[A-Z][a-z]+,? /.test(header ?? '')
    ? Math.max(0, (Date.parse(header!.replace(/(?: GMT)?$/, ' GMT')) - Date.now()) / 1000)
    : Number(header ?? NaN);
  return seconds >= 0 ? seconds : undefined;
}

/** @throws ModelError unless it is https, or on this machine */
export function assertSafe({ protocol, hostname }: URL): void {
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK.test(hostname)))
    throw new ModelError('Models are fetched by https only.');
}

function startOf({ headers }: Response): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? 0);
}

/** Weak ones do not stand for the same bytes. */
function strongTag(etag: string | null): string {
  return etag?.startsWith('"') ? etag : '';
}

function fault({ name }: RemoteFile, reason: string): ModelError {
  return new ModelError(`${name} could not be fetched: ${reason}.`);
}

/** The digest of a file, hexadecimal. */
export async function digestOf(path: string, algorithm: 'sha256' | 'md5' = 'sha256'): Promise<string> {
  const hashing = createHash(algorithm);
  await pipeline(createReadStream(path), hashing);
  return hashing.digest('hex');
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
