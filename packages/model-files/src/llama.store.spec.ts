import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ModelError } from './model.error.js';
import { tinyGguf } from '../../../test/support/tiny-gguf.js';
import { findSource } from './llama.source.js';
import { LlamaStore } from './llama.store.js';

const MODEL = tinyGguf();
const SHA256 = createHash('sha256').update(MODEL).digest('hex');
/** The bytes before a break. */
const PIECE = 100_000;
const FILES = ['README.md', 'tiny-Q4_K_M.gguf', 'tiny-Q8_0.gguf', 'tiny-q8_0-imat.gguf'];

let server: Server;
let hub: string;
let directory: string;
let store: LlamaStore;
let handle: (request: IncomingMessage, response: ServerResponse) => void;
let requests: { url: string; range?: string }[];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push({ url: request.url!, range: request.headers.range });
    handle(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'avatar-chat-models-'));
  store = new LlamaStore(directory);
  requests = [];
  handle = serve();
});
afterEach(() => rm(directory, { recursive: true, force: true }));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A hub with one repository, whose storage is elsewhere. */
function serve(body = MODEL, cuts = 0): typeof handle {
  return (request, response) => {
    const { url } = request;
    if (url === '/api/models/ann/tiny') {
      const siblings = FILES.map((rfilename) => ({ rfilename }));
      return void response.end(JSON.stringify({ siblings }));
    }
    if (url!.startsWith('/ann/tiny/resolve/main/'))
      return void response.writeHead(302, { location: `${hub.replace('127.0.0.1', 'localhost')}/storage` }).end();
    if (url !== '/storage') return void response.writeHead(404).end();
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const part = body.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': part.length,
      etag: '"1"',
      ...(from > 0 ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` } : {}),
    });
    if (cuts-- <= 0 || part.length <= PIECE) return void response.end(part);
    response.write(part.subarray(0, PIECE));
    void breakOff(response, from + PIECE);
  };
}

/** Only when the client has stored so many bytes: it loses what it has not read when the connection breaks. */
async function breakOff(response: ServerResponse, bytes: number): Promise<void> {
  const partial = async () => (await left()).find((file) => /^\.partial-\w+$/.test(file)) ?? '.';
  const stored = async () => (await stat(join(store.directory, await partial()))).size;
  while (!response.destroyed && (await stored().catch(() => 0)) < bytes) await delay(5);
  response.destroy();
}

const install = async (source: string, options: Parameters<LlamaStore['install']>[1] = {}) =>
  store.install(await findSource(source, hub), options);
const left = () => readdir(store.directory).catch(() => []);

it.each([
  ['hf:ann/tiny:Q4_K_M', 'tiny-Q4_K_M'],
  ['hf:ann/tiny/tiny-Q8_0.gguf', 'tiny-Q8_0'],
])('installs %s, lists and removes it', async (source, name) => {
  const progress: unknown[] = [];
  expect(await install(source, { sha256: SHA256.toUpperCase(), onProgress: (...seen) => progress.push(seen) })).toBe(
    name,
  );
  expect(await readFile(store.pathOf(name))).toEqual(MODEL);
  expect(progress.at(-1)).toEqual([MODEL.length, MODEL.length]);
  expect(await store.list()).toEqual([{ name, bytes: MODEL.length }]);
  expect(store.faultOf(name)).toBeUndefined();
  expect(await left()).toEqual([`${name}.gguf`]);
  expect([await store.remove(name), await store.remove(name), await left()]).toEqual([true, false, []]);
  expect(store.faultOf(name)).toBe('is not there');
});

it('installs from a URL or a file, under a name', async () => {
  const file = join(directory, 'some.gguf');
  await writeFile(file, MODEL);
  expect([
    await install(`${hub}/storage`, { name: 'a' }),
    await install(file),
    await install(file, { name: 'b' }),
  ]).toEqual(['a', 'some', 'b']);
  expect(await store.list()).toHaveLength(3);
});

it('takes a name with the extension of its file for the one without, and touches no file elsewhere', async () => {
  const elsewhere = join(directory, 'elsewhere');
  await mkdir(elsewhere);
  const file = join(elsewhere, 'x.gguf');
  await writeFile(file, MODEL);
  const before = process.cwd();
  process.chdir(elsewhere);
  try {
    expect(await store.remove('x.gguf')).toBe(false);
    expect(await install(file, { name: 'y.gguf' })).toBe('y');
    expect([await readdir(elsewhere), await left()]).toEqual([['x.gguf'], ['y.gguf']]);
    expect([await store.remove('y.gguf'), await left()]).toEqual([true, []]);
    await expect(install(file, { name: 'y.gguf.gguf' })).rejects.toThrow(/is named by/);
    await writeFile(join(store.directory, 'y.gguf.gguf'), MODEL);
    expect(await store.list()).toEqual([]);
    expect(await store.remove('y.gguf.gguf')).toBe(false);
  } finally {
    process.chdir(before);
  }
});

it('takes any GGUF file of a known version, such as one that has only a vocabulary', async () => {
  const header = Buffer.alloc(24);
  header.write('GGUF');
  const file = join(directory, 'words.gguf');
  await writeFile(file, header);
  await expect(install(file)).rejects.toThrow('is a GGUF file of an unknown version');
  header.writeUInt32LE(3, 4);
  await writeFile(file, header);
  expect(await install(file)).toBe('words');
});

it('resumes a download that breaks off, then or later', async () => {
  handle = serve(MODEL, 2);
  expect(await install('hf:ann/tiny:Q4_K_M', { sha256: SHA256 })).toBe('tiny-Q4_K_M');
  expect(requests.filter(({ url }) => url === '/storage').map(({ range }) => range)).toEqual([
    undefined,
    'bytes=100000-',
    'bytes=200000-',
  ]);
  handle = serve(MODEL, 1);
  const whole = handle;
  handle = (request, response) =>
    request.url === '/storage' && request.headers.range ? void response.destroy() : whole(request, response);
  await expect(install('hf:ann/tiny/tiny-Q8_0.gguf')).rejects.toThrow(
    'the connection failed; the same command goes on with it',
  );
  handle = serve(MODEL, 5);
  requests = [];
  expect(await install('hf:ann/tiny/tiny-Q8_0.gguf', { sha256: SHA256 })).toBe('tiny-Q8_0');
  expect(requests[1]!.range).toBe('bytes=100000-');
  expect(await left()).toHaveLength(2);
});

it.each<[string, string, Parameters<LlamaStore['install']>[1], RegExp]>([
  ['another digest', 'hf:ann/tiny:Q4_K_M', { sha256: '0'.repeat(64) }, /is not the file that is expected/],
  ['no file of that kind', 'hf:ann/tiny:Q2', {}, /^No file has Q2 in its name: tiny-Q4_K_M.gguf, tiny-Q8_0.gguf, /],
  ['several', 'hf:ann/tiny:Q8_0', {}, /^More than one file has Q8_0 in its name: tiny-Q8_0.gguf, tiny-q8_0-imat.gguf/],
  ['an unknown repository', 'hf:ann/none:Q8_0', {}, /the server does not have it/],
  ['an unknown file', 'hf:ann/none/x.gguf', {}, /the server does not have it/],
  ['no address', 'https://', {}, /is named by/],
  ['no repository', 'hf:ann', {}, /is none of/],
  ['http elsewhere', 'http://models.example/x.gguf', {}, /by https/],
  ['a name that is a path', 'hf:ann/tiny:Q4_K_M', { name: '../x' }, /is named by/],
  ['no file', '/nowhere/x.gguf', {}, /cannot be read or written \(ENOENT\)/],
])('refuses %s, and leaves nothing behind', async (_, source, options, message) => {
  const installing = install(source, options);
  await expect(installing).rejects.toThrow(message);
  await expect(installing).rejects.toThrow(ModelError);
  expect(await left()).toEqual([]);
});

it.each<[string, () => typeof handle, RegExp]>([
  ['HTML', () => serve(Buffer.from('<html>'.repeat(100))), /is no GGUF file/],
  [
    'an endless redirect',
    () => (_request, response) => void response.writeHead(302, { location: '/storage' }).end(),
    /redirects too often/,
  ],
  [
    'a redirect to plain http',
    () => (_request, response) => void response.writeHead(302, { location: 'http://a.example/' }).end(),
    /by https/,
  ],
])('refuses a hub that sends %s', async (_, broken, message) => {
  handle = broken();
  await expect(install(`${hub}/storage`)).rejects.toThrow(message);
  expect(await left()).toEqual([]);
});
