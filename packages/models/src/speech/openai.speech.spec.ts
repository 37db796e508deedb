import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { OutgoingHttp } from 'avatar-chat-runtime';
import { Config } from 'avatar-chat-settings';
import { OpenAiServers } from '../openai.servers.js';
import { OpenAiSpeaker } from './openai.speaker.js';
import { OpenAiTranscriber } from './openai.transcriber.js';
import { speakerContract } from '../../../../src/testing/speaker.contract.js';
import { LIVE_RATE, secondsIn } from 'avatar-chat-media';
import type { SpeechEntry } from './speaker.js';
import { transcriberContract } from '../../../../src/testing/transcriber.contract.js';

/** Silence: 48 kbit/s at 22,050 Hz, 156 bytes and 26 ms per frame. */
const mp3 = (frames: number) =>
  Buffer.concat(Array.from({ length: frames }, () => Buffer.from([0xff, 0xf3, 0x60, 0xc4, ...Array(152).fill(0)])));

interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}
type Behaviour = (response: ServerResponse, seen: Seen) => void;

/** A fake server with the used part of the OpenAI API; its next responses can be scripted. */
let server: Server;
let base_url: string;
let seen: Seen[] = [];
let behaviours: Behaviour[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => [])).toString('latin1');
    const call = { path: request.url!, headers: request.headers, body };
    seen.push(call);
    (behaviours.shift() ?? answer)(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
  behaviours = [];
});

const answer: Behaviour = (response, { path, body }) => {
  if (path === '/v1/audio/speech') {
    const { input, response_format } = JSON.parse(body);
    response.end(response_format === 'pcm' ? Buffer.alloc(4800 * input.length) : mp3(20 + input.length));
  } else response.setHeader('content-type', 'application/json').end('{"text":"  Hello there.\\n"}');
};
const fail =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end('{"error":{"message":"key sk-123 is bad; you said: secret"}}');

const config = new Config();
const servers = new OpenAiServers(config, new OutgoingHttp(config));
const signal = () => new AbortController().signal;
const entryOf = (more: Record<string, unknown> = {}): SpeechEntry => ({
  kind: 'openai',
  base_url,
  model: 'm1',
  ...more,
});
const speak = (more: Partial<Parameters<OpenAiSpeaker['speak']>[0]> = {}) =>
  new OpenAiSpeaker(servers).speak({
    entry: entryOf(),
    text: 'Hello *you*',
    language_code: 'en',
    signal: signal(),
    ...more,
  });
const transcribe = (more: Partial<Parameters<OpenAiTranscriber['transcribe']>[0]> = {}) =>
  new OpenAiTranscriber(servers).transcribe({
    entry: entryOf(),
    audio: Readable.from([Buffer.from('RIFF'), Buffer.from('WAVE')], { objectMode: false }),
    content_type: 'audio/wav',
    language_code: 'pt-BR',
    holders: ['somebody'],
    signal: signal(),
    ...more,
  });

it('a recording is measured as long as somebody waits for its transcript', async () => {
  expect(await secondsIn(mp3(1000), signal())).toBeGreaterThan(20);
  expect(await secondsIn(mp3(1000), AbortSignal.abort())).toBeLessThan(2);
});

describe('OpenAiSpeaker', () => {
  it('requests MP3 for the plain text, and determines its length', async () => {
    const speech = await speak({ entry: entryOf({ voice: 'nova' }), voice: { rate: 9, names: { espeak: 'f3' } } });
    expect(JSON.parse(seen[0]!.body)).toEqual({
      model: 'm1',
      voice: 'nova',
      input: 'Hello you',
      response_format: 'mp3',
      speed: 4,
    });
    expect(speech).toMatchObject({ content_type: 'audio/mpeg', phonemes: [] });
    expect(speech!.seconds).toBeCloseTo((29 * 576) / 22_050, 2);
  });

  it('requests samples for streaming playback, and estimates word timings', async () => {
    const samples = Int16Array.from({ length: LIVE_RATE }, (_, at) => (at < 2400 || at >= 21_600 ? 0 : 9000));
    behaviours = [(response) => response.end(Buffer.concat([Buffer.from(samples.buffer), Buffer.of(1)]))];
    const sound = await new OpenAiSpeaker(servers).sound({
      entry: entryOf(),
      text: '*Hello* you',
      language_code: 'en',
      signal: signal(),
    });
    expect(JSON.parse(seen[0]!.body)).toMatchObject({ input: 'Hello you', response_format: 'pcm' });
    expect(sound!.samples).toEqual(samples);
    expect(sound!.words).toEqual([
      { text: '*Hello* ', start: 0.1, end: 0.6 },
      { text: 'you', start: 0.6, end: 0.9 },
    ]);
  });

  it('takes PCM for PCM, also if its first samples look like the header of an MP3', async () => {
    behaviours = [(response) => response.end(Buffer.concat([mp3(1).subarray(0, 4), Buffer.alloc(4796, 1)]))];
    const sound = await new OpenAiSpeaker(servers).sound({
      entry: entryOf(),
      text: 'Hello',
      language_code: 'en',
      signal: signal(),
    });
    expect(sound!.samples).toHaveLength(2400);
  });

  it('decodes the MP3 of a server that supports nothing else', async () => {
    behaviours = [(response) => response.end(mp3(50))];
    const sound = await new OpenAiSpeaker(servers).sound({
      entry: entryOf(),
      text: 'Hello',
      language_code: 'en',
      signal: signal(),
    });
    expect(sound!.samples.length / LIVE_RATE).toBeCloseTo((50 * 576) / 22_050, 1);
    expect(sound!.words).toMatchObject([{ text: 'Hello', start: 0 }]);
  });

  it('detects data that is not audio', async () => {
    for (const body of ['{"error":"sk-1"}', 'RIFF\0\0\0\0WAVE', '']) {
      behaviours = [(response) => response.end(body)];
      const request = { entry: entryOf(), text: 'Hello', language_code: 'en', signal: signal() };
      await expect(new OpenAiSpeaker(servers).sound(request)).rejects.toThrow(
        'The speech provider sent something other than PCM.',
      );
    }
  });

  it('prefers the voice of the avatar to that of the project', async () => {
    await speak({ entry: entryOf({ voice: 'nova' }), voice: { names: { openai: 'ash' } } });
    expect(JSON.parse(seen[0]!.body).voice).toBe('ash');
  });

  it.each<[string, Behaviour]>([
    ['JSON with status 200', (response) => response.end('{"error":"no such voice"}')],
    ['nothing', (response) => response.end()],
    ['a refusal', fail(401)],
    ['a redirect', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
  ])('fails on %s, with its own message', async (_name, behaviour) => {
    behaviours = [behaviour, behaviour];
    const error = await speak().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'SpeechError', message: expect.stringMatching(/^The speech provider .*\.$/) });
    expect((error as Error).cause).toBeUndefined();
  });

  it('stops reading at 10 MiB', async () => {
    let sent = 0;
    const flood: Behaviour = (response) => {
      const piece = mp3(1000);
      const more = () => {
        while (!response.destroyed && sent < 400) if ((sent++, !response.write(piece))) return;
      };
      response.on('drain', more);
      more();
    };
    behaviours = [flood];
    await expect(speak()).rejects.toMatchObject({ code: 'speech_failed' });
    expect(sent).toBeLessThan(150);
  });
});

describe('OpenAiTranscriber', () => {
  it('sends the recording with its type, file extension and language', async () => {
    expect(await transcribe()).toBe('Hello there.');
    const { path, headers, body } = seen[0]!;
    expect(path).toBe('/v1/audio/transcriptions');
    expect(headers['content-type']).toMatch(/^multipart\/form-data/);
    expect(body).toContain('filename="recording.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFFWAVE\r\n');
    for (const [name, value] of Object.entries({ model: 'm1', language: 'pt', response_format: 'json' }))
      expect(body).toContain(`name="${name}"\r\n\r\n${value}\r\n`);
  });

  it.each([
    ['{"text":""}', undefined],
    ['{"text":"  "}', undefined],
    ['{"text":7}', undefined],
    ['{}', undefined],
    [JSON.stringify({ text: '😀'.repeat(9000) }), '😀'.repeat(8000)],
    [JSON.stringify({ text: 'é'.repeat(20_000) }), 'é'.repeat(8000)],
  ])('transcribes %.20s', async (body, text) => {
    behaviours = [(response) => response.setHeader('content-type', 'application/json').end(body)];
    expect(await transcribe()).toBe(text);
  });

  it('fails if the answer is no object', async () => {
    behaviours = [(response) => response.setHeader('content-type', 'application/json').end('null')];
    await expect(transcribe()).rejects.toMatchObject({ code: 'speech_failed' });
  });

  it.each([429, 500, 503])('retries once after a %i, and not twice', async (status) => {
    behaviours = [fail(status, { 'retry-after-ms': '5' })];
    expect(await transcribe()).toBe('Hello there.');
    expect(seen).toHaveLength(2);
    behaviours = [fail(status, { 'retry-after-ms': '5' }), fail(status)];
    await expect(transcribe()).rejects.toThrow(/^The speech provider did not answer as it should\.$/);
    expect(seen).toHaveLength(4);
  });

  it('does not wait for a busy server longer than its caller does', async () => {
    behaviours = [fail(429, { 'retry-after': '2' })];
    await expect(transcribe({ signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ code: 'speech_failed' });
  });

  it('disconnects from a server that hangs', async () => {
    const hungUp = new Promise((resolve) => {
      behaviours = [(response) => response.on('close', () => resolve(true))];
    });
    await expect(transcribe({ signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ code: 'speech_failed' });
    expect(await hungUp).toBe(true);
  });
});

describe('the key', () => {
  const NAME = 'PROVIDER_SPEECH_SPEC_KEY';
  afterEach(() => delete process.env[NAME]);

  it('comes from the variable that the entry names', async () => {
    process.env[NAME] = 'sk-spec';
    await transcribe({ entry: entryOf({ api_key_env: NAME }) });
    expect(seen[0]!.headers.authorization).toBe('Bearer sk-spec');
  });

  it('is not taken from anywhere else', async () => {
    process.env.OPENAI_API_KEY = 'sk-other';
    process.env.OPENAI_ORG_ID = 'org';
    await transcribe();
    await expect(transcribe({ entry: entryOf({ api_key_env: NAME }) })).rejects.toThrow(/key .* is not set/);
    delete process.env.OPENAI_API_KEY;
    delete process.env.OPENAI_ORG_ID;
    expect(seen).toHaveLength(1);
    expect(seen[0]!.headers.authorization).not.toContain('sk-other');
    expect(seen[0]!.headers['openai-organization']).toBeUndefined();
  });
});

describe('an entry', () => {
  const good = { kind: 'openai', base_url: 'https://api.example/v1', model: 'tts-1' };

  it('is valid with the required fields, and with all optional ones', () => {
    expect(new OpenAiSpeaker(servers).validate(good)).toEqual([]);
    expect(new OpenAiSpeaker(servers).validate({ ...good, voice: 'nova', api_key_env: 'OPENAI_API_KEY' })).toEqual([]);
    expect(new OpenAiTranscriber(servers).validate({ ...good, api_key_env: 'OPENAI_API_KEY' })).toEqual([]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ base_url: undefined }, 'base_url'],
    [{ base_url: 'ftp://x' }, 'base_url'],
    [{ base_url: 'http://user:pass@x/v1' }, 'base_url'],
    [{ base_url: 'http://x/v1?key=1' }, 'base_url'],
    [{ model: undefined }, 'model'],
    [{ model: ' ' }, 'model'],
    [{ model: 'm'.repeat(201) }, 'model'],
    [{ voice: 7 }, 'voice'],
    [{ api_key_env: 'sk-123 456' }, 'api_key_env'],
    [{ api_key_env: 'JWT_SECRET' }, 'api_key_env'],
    [{ api_key_env: 'MONGODB_URI' }, 'api_key_env'],
    [{ api_key: 'sk-123' }, 'api_key'],
  ])('has a fault with %j', (change, field) => {
    const faults = new OpenAiSpeaker(servers).validate({ ...good, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${field}: `));
    expect(faults[0]).not.toContain('123');
  });

  it('has no voice for transcription', () => {
    expect(new OpenAiTranscriber(servers).validate({ ...good, voice: 'nova' })).toEqual(['voice: is not known here']);
  });
});

// Created before the server has a port, when the tests are declared; the entry is resolved lazily.
const lateEntry = {
  kind: 'openai',
  model: 'm1',
  get base_url() {
    return base_url;
  },
};
speakerContract('the OpenAI speaker', () => new OpenAiSpeaker(servers), {
  entry: lateEntry,
  text: 'Hello! How are you today?',
  language_code: 'en',
});
transcriberContract('the OpenAI transcriber', () => new OpenAiTranscriber(servers), {
  entry: lateEntry,
  audio: Buffer.from('RIFF____WAVEfmt '),
  content_type: 'audio/wav',
  language_code: 'en',
});
