import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { downloadFile } from './hub.download.js';
import { ModelSources } from './model.sources.js';
import { ModelStore } from './model.store.js';

/** The shape of an ONNX file: a version, and a graph. */
const WEIGHTS = Buffer.concat([Buffer.from([8, 8, 0x3a, 0x80, 0x80, 6]), Buffer.alloc(98_304, 'weights ')]);
const CONFIG = {
  audio: { sample_rate: 22_050 },
  espeak: { voice: 'en-us' },
  num_speakers: 1,
  phoneme_id_map: { '^': [1], $: [2], _: [0], a: [3] },
};
const FOLDER = 'en/en_US/parrot/medium';
const KEY = 'en_US-parrot-medium';
const VOICE = `piper-${KEY}`;

let hub: Server;
let base: string;
let directory: string;
let files: Record<string, Buffer>;
/** What the hub does with requests of the weights, one after the other; afterwards it sends them. */
let faults: ((request: IncomingMessage, response: ServerResponse) => void)[];
let requests: { path: string; range?: string | undefined }[];
let hasTags: boolean;

beforeAll(async () => {
  hub = createServer((request, response) => {
    const path = decodeURIComponent(request.url!).replace(/^\/[^/]+\/[^/]+\/resolve\/main\//, '');
    const { range } = request.headers;
    requests.push({ path, range });
    const content = files[path];
    const fault = path.endsWith('.onnx') ? faults.shift() : undefined;
    if (fault) return fault(request, response);
    if (!content) return void response.writeHead(404).end();
    if (hasTags) response.setHeader('etag', `"${createHash('md5').update(content).digest('hex')}"`);
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    if (from > 0) response.setHeader('content-range', `bytes ${from}-${content.length - 1}/${content.length}`);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': content.length - from }).end(content.subarray(from));
  });
  await new Promise<void>((done) => hub.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
});
afterAll(async () => {
  hub.closeAllConnections();
  await new Promise((done) => hub.close(done));
});
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'models-')), 'below');
  [faults, requests, hasTags] = [[], [], true];
  publish({});
});
afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

function publish({ config = CONFIG as object | string, card = '* License: CC0', size = 0, md5 = '' }): void {
  const given: Record<string, Buffer> = {
    [`${FOLDER}/${KEY}.onnx`]: WEIGHTS,
    [`${FOLDER}/${KEY}.onnx.json`]: Buffer.from(typeof config === 'string' ? config : JSON.stringify(config)),
    [`${FOLDER}/MODEL_CARD`]: Buffer.from(`# Card\n\n${card}\n`),
  };
  const listed = Object.entries(given).map(([path, content]) => [
    path,
    {
      size_bytes: path.endsWith('.onnx') && size ? size : content.length,
      md5_digest: path.endsWith('.onnx') && md5 ? md5 : createHash('md5').update(content).digest('hex'),
    },
  ]);
  const index = { [KEY]: { language: { family: 'en' }, quality: 'medium', files: Object.fromEntries(listed) } };
  files = { ...given, 'voices.json': Buffer.from(JSON.stringify(index)) };
}

async function install(target = VOICE): Promise<string> {
  const store = new ModelStore(directory);
  try {
    const models = await new ModelSources(base, store).resolve(target);
    const done: boolean[] = [];
    for (const model of models) done.push(await store.install(model));
    return done.join();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

/** What a client has received is lost if the connection breaks before it was written. */
async function isStored(size: number): Promise<void> {
  const file = join(directory, `.resume-${VOICE}`, 'model', `${KEY}.onnx`);
  for (let tries = 0; tries < 2000; tries++) {
    if ((await stat(file).catch(() => undefined))?.size === size) return;
    await delay(5);
  }
  throw new Error(`${file} has no ${size} bytes`);
}

const there = () =>
  readdir(directory).then(
    (names) => names.sort(),
    () => [],
  );

it("installs a voice of the hub's list, with its licence, and finds it without the hub", async () => {
  const store = new ModelStore(directory);
  const [model] = await new ModelSources(base, store).resolve(VOICE);
  expect(model).toMatchObject({ name: VOICE, languages: ['en'], licence: 'CC0', quality: 'medium', purpose: 'voice' });
  expect(requests.some(({ path }) => path.endsWith('.onnx'))).toBe(false);
  expect(await install()).toBe('true');
  expect(await there()).toEqual(['models.lock.json', VOICE]);
  requests = [];
  expect(await install()).toBe('false');
  expect(requests).toEqual([]);
  const found = await new ModelStore(directory).installed(VOICE);
  expect(found).toMatchObject({ facts: { licence: 'CC0' }, directory: join(directory, VOICE) });
  expect(await readFile(join(directory, VOICE, `${KEY}.onnx`))).toEqual(WEIGHTS);
});

it('counts a copy of the directory as a model, and an altered one as damaged', async () => {
  await install();
  await rm(join(directory, 'models.lock.json'));
  expect(await new ModelStore(directory).installed(VOICE)).toBeDefined();
  await writeFile(join(directory, VOICE, `${KEY}.onnx`), WEIGHTS.fill(1, 20_000, 20_001));
  const store = new ModelStore(directory);
  expect(await store.find({ name: VOICE, packages: [] })).toBe('damaged');
  expect(await store.installed(VOICE)).toBeUndefined();
});

it.each([[true], [false]])(
  'goes on with a broken download (etags: %s), in the same call and in the next one',
  async (tags) => {
    hasTags = tags;
    const half: (typeof faults)[number] = (_, response) => {
      if (tags) response.setHeader('etag', `"${createHash('md5').update(WEIGHTS).digest('hex')}"`);
      response.writeHead(200, { 'content-length': WEIGHTS.length });
      response.write(WEIGHTS.subarray(0, 40_000));
      void isStored(40_000).then(() => response.destroy());
    };
    const nothing: (typeof faults)[number] = (_, response) => void response.destroy();
    faults = [half, nothing, nothing, nothing];
    expect(await install()).toMatch(/could not be fetched: the connection failed; the same command goes on with it/);
    expect(await there()).toEqual([`.resume-${VOICE}`]);
    requests = [];
    expect(await install()).toBe('true');
    expect(requests.find(({ path }) => path.endsWith('.onnx'))?.range).toBe('bytes=40000-');
    expect(await there()).toEqual(['models.lock.json', VOICE]);
  },
);

it.each<[string, () => void, RegExp]>([
  [
    'has not the voice',
    () => (files = { 'voices.json': Buffer.from('{}') }),
    /The hub has no voice 'en_US-parrot-medium'/,
  ],
  ['has no list', () => (files = {}), /voices\.json could not be fetched: the server does not have it/],
  ['sends a list that is none', () => (files['voices.json'] = Buffer.from('[1]')), /list of voices is not one/],
  ['has not the file', () => delete files[`${FOLDER}/${KEY}.onnx`], /the server does not have it/],
  ['sends another size', () => publish({ size: WEIGHTS.length + 1 }), /has \d+ bytes instead of \d+/],
  ['sends another file', () => publish({ md5: 'a'.repeat(32) }), /not the file that is expected/],
  ['lists a path outside', () => (files['voices.json'] = Buffer.from(files['voices.json']!.toString().replaceAll('en/en_US', '../x'))), /unusable path/], // prettier-ignore
  ['sends a web page', () => (faults = [(_, response) => void response.setHeader('content-type', 'text/html; charset=utf-8').end('<html>')]), /sends a web page instead/], // prettier-ignore
  ['redirects elsewhere', () => (faults = [(_, response) => void response.writeHead(302, { location: 'https://files.example.org/x' }).end()]), /redirects to another host/], // prettier-ignore
  ['asks for a long wait', () => (faults = [(_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end()]), /busy \(429\)/], // prettier-ignore
  ['asks for a wait until a later date', () => (faults = [(_, response) => void response.writeHead(503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }).end()]), /busy \(503\)/], // prettier-ignore
  ['has a voice of another rate', () => publish({ config: { ...CONFIG, audio: { sample_rate: 44_100 } } }), /cannot be used: needs an audio.sample_rate/], // prettier-ignore
  ['has a damaged configuration', () => publish({ config: '{"audio":' }), /cannot be used: is not valid JSON/],
])('installs nothing, and says why, if the hub %s', async (_, prepare, reason) => {
  prepare();
  expect(await install()).toMatch(reason);
  expect(await there()).toEqual([]);
});

it('waits as long as the hub asks, also by a date, and follows redirects on it', async () => {
  faults = [
    (_, response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
    (_, response) => void response.writeHead(503, { 'retry-after': new Date().toUTCString() }).end(),
    (_, response) => void response.writeHead(503, { 'retry-after': 'soon' }).end(),
    (request, response) => void response.writeHead(302, { location: request.url! }).end(),
  ];
  expect(await install()).toBe('true');
});

it('refuses a file that has changed since it was fetched first', async () => {
  await install();
  await rm(join(directory, VOICE), { recursive: true });
  publish({ config: { ...CONFIG, num_speakers: 2 } });
  expect(await install()).toMatch(/not the file that models.lock.json has the digest of/);
  expect(await there()).toEqual(['models.lock.json']);
});

it('refuses a file with another digest than expected, even if the hub states the same one', async () => {
  const sha256 = createHash('sha256').update(WEIGHTS).digest('hex');
  faults = [(_, response) => void response.writeHead(200, { 'x-linked-etag': `"${sha256}"` }).end(WEIGHTS)];
  const file = { name: 'x.onnx', url: `${base}/a/b/resolve/main/x.onnx`, sha256: '0'.repeat(64) };
  const path = join(directory, '..', 'x.onnx');
  await expect(downloadFile(file, path)).rejects.toThrow('not the file that is expected');
});

it('fetches once for two installations at once', async () => {
  expect((await Promise.all([install(), install()])).sort()).toEqual(['false', 'true']);
  expect(requests.filter(({ path }) => path.endsWith('.onnx'))).toHaveLength(1);
});

it('installs a voice by its URL, and by its path, with the language of its configuration', async () => {
  expect(await install(`${base}/a/b/resolve/main/${FOLDER}/${KEY}.onnx`)).toBe('true');
  const local = join(directory, '..', 'local');
  await mkdir(local);
  await writeFile(join(local, 'owl.onnx'), WEIGHTS);
  await writeFile(join(local, 'owl.onnx.json'), JSON.stringify({ ...CONFIG, espeak: { voice: 'cmn' } }));
  expect(await install(join(local, 'owl.onnx'))).toBe('true');
  const installed = await new ModelStore(directory).allInstalled();
  expect(installed.map(({ facts }) => [facts.name, facts.languages])).toEqual([
    [VOICE, ['en']],
    ['piper-owl', ['zh']],
  ]);
});

it('installs a recognizer whose digests it learns, if its files are those of one', async () => {
  const [encoder, decoder, tokens] = ['base-encoder.int8.onnx', 'base-decoder.int8.onnx', 'base-tokens.txt'];
  files = { [encoder!]: WEIGHTS, [decoder!]: WEIGHTS, [tokens!]: Buffer.from('a 0\n') };
  const store = new ModelStore(directory);
  const [model] = await new ModelSources(base, store).resolve('sherpa-onnx-whisper-base');
  expect(await store.install({ ...model!, size: 0 })).toBe(true);
  expect(Object.keys(JSON.parse(await readFile(join(directory, 'models.lock.json'), 'utf8')) as object)).toEqual(
    [encoder, decoder, tokens].map((name) => `sherpa-onnx-whisper-base/${name}`),
  );
  expect(await store.installed('sherpa-onnx-whisper-base')).toMatchObject({ facts: { purpose: 'recognition' } });
});

it.each([
  ['owl', /There is no language, model or file 'owl'/],
  ['http://hub.example.org/x.onnx', /by https only/],
  ['https://', /There is no language, model or file/],
  ['https://hub.example.org/x.zip', /the URL or the path of an .onnx file/],
])('has no model for %s', async (target, reason) => {
  expect(await install(target)).toMatch(reason);
});
