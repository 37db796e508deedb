import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePiperConfig } from 'avatar-chat-media';
import { Config } from 'avatar-chat-settings';
import { TestClock } from '../../../../src/testing/test-clock.js';
import { EspeakSpeaker } from './espeak.speaker.js';
import { PiperSpeaker } from './piper.speaker.js';

const CONFIG = {
  audio: { sample_rate: 22_050 },
  espeak: { voice: 'en-us' },
  phoneme_type: 'espeak',
  phoneme_id_map: { '^': [1], $: [2], _: [0], a: [3] },
};
/** An ONNX file with an empty graph: well-formed, but unusable. */
const ONNX = Buffer.from([0x08, 8, 0x3a, 2, 0x12, 0, 0x42, 4, 0x0a, 0, 0x10, 15]);

const quietly = () => ({ warn: () => undefined, error: () => undefined });

let directory: string;
let espeak: EspeakSpeaker;
let speaker: PiperSpeaker;
const clock = new TestClock();

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'voices-'));
  espeak = new EspeakSpeaker(quietly);
  speaker = new PiperSpeaker(new Config({ modelsDir: directory }), clock, espeak, quietly);
  put('good', ONNX);
});
afterAll(async () => {
  await speaker.onApplicationShutdown();
  await espeak.onApplicationShutdown();
  rmSync(directory, { recursive: true });
});

function put(name: string, model: Uint8Array, config: unknown = CONFIG): void {
  writeFileSync(join(directory, `${name}.onnx`), model);
  writeFileSync(join(directory, `${name}.onnx.json`), typeof config === 'string' ? config : JSON.stringify(config));
}

const faults = (entry: object) => speaker.validate({ kind: 'piper', ...entry });
const say = (model: string, language_code = 'en') =>
  speaker.speak({
    entry: { kind: 'piper', model },
    text: 'Hello.',
    language_code,
    signal: new AbortController().signal,
  });

describe('the entry of PiperSpeaker', () => {
  it('names a model, absolute or within MODELS_DIR, and others for other languages', () => {
    expect(faults({ model: 'good.onnx' })).toEqual([]);
    expect(faults({ model: join(directory, 'good.onnx'), models: { de: 'good.onnx' } })).toEqual([]);
  });

  it.each([
    [{}, 'model: must be the path of an .onnx file'],
    [{ model: 'good.json' }, 'model: must be the path of an .onnx file'],
    [{ model: 'x\0.onnx' }, 'model: must be the path of an .onnx file'],
    [{ model: '../good.onnx' }, 'model: must be an absolute path, or one within MODELS_DIR'],
    [{ model: 'missing.onnx' }, 'model: cannot be read'],
    [{ model: 'good.onnx', models: [] }, 'models: must be an object of languages and paths of .onnx files'],
    [{ model: 'good.onnx', models: { de: 'missing.onnx' } }, 'models: one of the files cannot be read'],
    [{ model: 'good.onnx', voice: 'x' }, 'voice: is not known here'],
  ])('%j has the fault %s', (entry, fault) => {
    expect(faults(entry)).toEqual([fault]);
  });

  it.each([
    ['truncated', ONNX.subarray(0, 4)],
    ['empty', Buffer.alloc(0)],
    ['random', Buffer.from('version https://git-lfs.github.com/spec/v1')],
    ['without-graph', ONNX.subarray(0, 2)],
  ])('a %s model is invalid', (name, model) => {
    put(name, model);
    expect(faults({ model: `${name}.onnx` })).toEqual(['model: is not a whole ONNX file']);
  });

  it('a directory is not a model', () => {
    mkdirSync(join(directory, 'directory.onnx'));
    expect(faults({ model: 'directory.onnx' })).toEqual(['model: is no file, or too large']);
  });

  it.each([
    ['{', 'is not valid JSON'],
    [[], 'needs an object: the file'],
    [{ ...CONFIG, phoneme_type: 'text' }, 'needs the phoneme_type "espeak"'],
    [{ ...CONFIG, espeak: { voice: '../x' } }, 'has no espeak.voice'],
    [{ ...CONFIG, audio: { sample_rate: 8000 } }, 'needs an audio.sample_rate of 16000, 22050, 24000'],
    [{ ...CONFIG, inference: { noise_scale: 'x' } }, 'has an unusable noise_scale'],
    [{ ...CONFIG, num_speakers: -1 }, 'has an unusable num_speakers'],
    [{ ...CONFIG, speaker_id_map: { ann: 1 } }, 'has a speaker_id_map that is not one of names to numbers'],
    [{ ...CONFIG, phoneme_id_map: undefined }, 'needs an object: phoneme_id_map'],
    [{ ...CONFIG, phoneme_id_map: { a: [1] } }, 'has a phoneme_id_map without ^, $ or _'],
    [
      { ...CONFIG, phoneme_id_map: { ...CONFIG.phoneme_id_map, b: [1e9] } },
      'has a phoneme_id_map that is not one of characters to lists of numbers',
    ],
  ])('the configuration %j %s', (config, fault) => {
    put('config', ONNX, config);
    expect(faults({ model: 'config.onnx' })).toEqual([`model: its .onnx.json ${fault}`]);
  });
});

describe('parsePiperConfig', () => {
  it("has the file's values, or defaults", () => {
    expect(parsePiperConfig(JSON.stringify(CONFIG))).toEqual({
      sampleRate: 22_050,
      espeakVoice: 'en-us',
      noiseScale: 0.667,
      lengthScale: 1,
      noiseW: 0.8,
      speakers: 1,
      speakerIds: {},
      phonemeIds: CONFIG.phoneme_id_map,
    });
    const several = { ...CONFIG, num_speakers: 2, speaker_id_map: { ann: 1 }, inference: { length_scale: 1.2 } };
    expect(parsePiperConfig(JSON.stringify(several))).toMatchObject({ speakerIds: { ann: 1 }, lengthScale: 1.2 });
  });
});

describe('PiperSpeaker', () => {
  it('speaks like eSpeak in a language without a model', async () => {
    expect(await say('good.onnx', 'de')).toMatchObject({ content_type: 'audio/mpeg' });
  });

  it('fails with a reason if the model is missing', async () => {
    await expect(say('missing.onnx')).rejects.toMatchObject({
      code: 'speech_failed',
      message: 'The Piper voice cannot be used: the model cannot be read.',
    });
  });

  it('survives a model that crashes the library, and does not retry it at once', async () => {
    await expect(say('good.onnx')).rejects.toMatchObject({ message: 'The speech could not be processed.' });
    await expect(say('good.onnx')).rejects.toMatchObject({
      message: 'The Piper voice cannot be used: the model ended its process.',
    });
    clock.advance(60_001);
    clock.set(-3_600_000);
    await expect(say('good.onnx')).rejects.toMatchObject({ message: 'The speech could not be processed.' });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`piper-${process.pid}-`))).toEqual([]);
  });
});
