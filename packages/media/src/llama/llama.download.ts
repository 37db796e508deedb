import { createWriteStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { pipeline } from 'node:stream/promises';
import { ModelError } from '../models/model.error.js';

/** Stall timeout of a download, in milliseconds. */
const STALLED_MS = 30_000;
/** Tries in a row that bring nothing. */
const TRIES = 3;
const MAX_REDIRECTS = 5;
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 10;
const PUBLIC_HUB = 'https://huggingface.co';
const REPOSITORY = /^hf:([A-Za-z0-9][\w.-]{0,95})\/([A-Za-z0-9][\w.-]{0,95})([:/])(.+)$/;

/** Where a model comes from. */
export interface LlamaSource {
  /** The name of the file, or the path of a local one. */
  readonly file: string;
  readonly url?: URL;
  /** As the hub says. */
  readonly sha256?: string;
}

/**
 * Finds what an operator names: `hf:USER/REPO:QUANT`, `hf:USER/REPO/FILE.gguf`, a URL, or a file.
 *
 * @param hub base URL of the hub @throws ModelError
 */
export async function findSource(source: string, hub = PUBLIC_HUB): Promise<LlamaSource> {
  if (/^https?:\/\//.test(source)) {
    const url = allowed(source);
    return { url, file: fileOf(url) };
  }
  if (!source.startsWith('hf:')) return { file: source };
  const [, user, repo, kind, rest = ''] = REPOSITORY.exec(source) ?? [];
  if (!user || !repo) throw new ModelError(`${source} is none of hf:USER/REPO:QUANT and hf:USER/REPO/FILE.gguf.`);
  const base = hub.replace(/\/$/, '');
  const file = kind === '/' ? rest : await findQuantized(allowed(`${base}/api/models/${user}/${repo}`), rest);
  const path = file.split('/').map(encodeURIComponent).join('/');
  return { file: file.split('/').at(-1)!, url: allowed(`${base}/${user}/${repo}/resolve/main/${path}`) };
}

async function findQuantized(list: URL, quantization: string): Promise<string> {
  const answer = await request(list, {}, AbortSignal.timeout(STALLED_MS));
  let files: string[];
  try {
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>)
      if ((text += decoder.decode(part, { stream: true })).length > MAX_LIST_BYTES) throw new Error('too long');
    const { siblings } = JSON.parse(text) as { siblings: { rfilename: unknown }[] };
    files = siblings.map(({ rfilename }) => String(rfilename)).filter((name) => /\.gguf$/i.test(name));
  } catch {
    throw new ModelError(`${list.host} does not list the files of this repository.`);
  }
  const found = files.filter((name) => name.toLowerCase().includes(quantization.toLowerCase()));
  if (found.length === 1) return found[0]!;
  const named = (found.length > 0 ? found : files).slice(0, MAX_FILES).map((name) => name.replace(/\p{C}/gu, ''));
  throw new ModelError(
    `${found.length === 0 ? 'No' : 'More than one'} file has ${quantization} in its name: ${named.join(', ') || 'there is no .gguf'}.`,
  );
}

/**
 * Downloads to a file, from where an earlier try broke off.
 *
 * @throws ModelError whose cause is `broken` if it can be resumed
 */
export async function download(
  url: URL,
  partial: string,
  onProgress: (received: number, total: number | undefined) => void = () => undefined,
): Promise<void> {
  for (let tries = 0; ;) {
    const before = await sizeOf(partial);
    try {
      return await attempt(url, partial, before, onProgress);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isFinal = error instanceof ModelError && error.cause !== 'broken';
      if (isFinal || code === 'ENOSPC' || code === 'EACCES') throw error;
      tries = (await sizeOf(partial)) > before ? 1 : tries + 1;
      if (tries >= TRIES) throw new ModelError(`${url.host} does not send the file to its end.`, { cause: 'broken' });
    }
  }
}

async function attempt(
  url: URL,
  partial: string,
  before: number,
  onProgress: (received: number, total: number | undefined) => void,
): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), STALLED_MS);
  const version = `${partial}.etag`;
  try {
    const etag = before > 0 ? await readFile(version, 'utf8').catch(() => '') : '';
    const range = before > 0 ? { range: `bytes=${before}-`, ...(etag ? { 'if-range': etag } : {}) } : {};
    const answer = await request(url, range, stop.signal);
    // The whole file is there already.
    if (answer.status === 416) return void (await answer.body?.cancel());
    const [, from, all] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers.get('content-range') ?? '') ?? [];
    const isMore = answer.status === 206 && Number(from) === before;
    if (answer.status === 206 && !isMore) {
      await rm(partial, { force: true });
      throw new Error('Not the part that was asked for');
    }
    const length = Number(answer.headers.get('content-length') ?? NaN);
    const total = isMore ? Number(all) : Number.isSafeInteger(length) ? length : undefined;
    await writeFile(version, answer.headers.get('etag') ?? '');
    let received = isMore ? before : 0;
    const body = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>);
    body.on('data', (part: Uint8Array) => {
      timer.refresh();
      onProgress((received += part.length), total);
    });
    await pipeline(body, createWriteStream(partial, { flags: isMore ? 'a' : 'w', flush: true }), {
      signal: stop.signal,
    });
    if (total !== undefined && received !== total) throw new Error('Cut off');
  } finally {
    clearTimeout(timer);
  }
}

/** Follows redirects, which a hub makes to its storage. @throws ModelError for what cannot be fetched */
async function request(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let from = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    let answer: Response;
    try {
      answer = await fetch(from, {
        headers: { 'accept-encoding': 'identity', ...headers },
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      throw new ModelError(`${from.host} cannot be reached.`, { cause: signal.aborted ? error : 'broken' });
    }
    if (answer.status === 200 || answer.status === 206 || answer.status === 416) return answer;
    await answer.body?.cancel();
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null)
      throw new ModelError(`${from.host} answers with ${answer.status}.`);
    from = allowed(new URL(location, from).href);
  }
  throw new ModelError(`${url.host} redirects too often.`);
}

/** @throws ModelError for anything but https, or http on this machine */
function allowed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return url;
  throw new ModelError('A model is fetched by https, or by http from this machine.');
}

function fileOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname.split('/').at(-1)!);
  } catch {
    return url.pathname.split('/').at(-1)!;
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
