import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FLOAT, input, INT32, node, number, numbers, onnx, output, tensor } from './onnx.model.js';
import { layoutOf } from '../src/recognition/sherpa.layout.js';

const TOKENS = ['<blk>', '<|de|>', '<|NEUTRAL|>', '<|Speech|>', '<|woitn|>', 'hallo'];
const BANDS = 80;

/** A model with the form of SenseVoice, which hears a German greeting in everything. */
function heardGerman(directory: string): void {
  const oneHot = (...tokens: number[]) =>
    Float32Array.from(tokens.flatMap((token) => TOKENS.map((_, id) => (id === token ? 9 : 0))));
  const model = onnx(
    [
      tensor('start', FLOAT, [1, 4, TOKENS.length], oneHot(1, 2, 3, 4)),
      tensor('word', FLOAT, [1, 1, TOKENS.length], oneHot(5)),
      tensor('zero', FLOAT, [1], Float32Array.of(0)),
      node('ReduceMean', ['x'], 'means', numbers('axes', 2), number('keepdims', 1)),
      node('Mul', ['means', 'zero'], 'zeros'),
      node('Add', ['zeros', 'word'], 'words'),
      node('Concat', ['start', 'words'], 'logits', number('axis', 1)),
      input('x', FLOAT, 3),
      ...['x_length', 'language', 'text_norm'].map((name) => input(name, INT32, 1)),
      output('logits', FLOAT, 3),
    ],
    {
      comment: '',
      vocab_size: TOKENS.length,
      lfr_window_size: 1,
      lfr_window_shift: 1,
      normalize_samples: 0,
      with_itn: 14,
      without_itn: 15,
      lang_auto: 0,
      lang_zh: 3,
      lang_en: 4,
      lang_ja: 11,
      lang_ko: 12,
      lang_yue: 7,
      neg_mean: Array.from({ length: BANDS }, () => 0).join(),
      inv_stddev: Array.from({ length: BANDS }, () => 1).join(),
    },
  );
  writeFileSync(join(directory, 'model.onnx'), model);
  writeFileSync(join(directory, 'tokens.txt'), TOKENS.map((token, id) => `${token} ${id}\n`).join(''));
}

const PROGRAM = `
  const { Recognizer } = await import(process.argv[1]);
  const { decodes } = await Recognizer.load({ model: JSON.parse(process.argv[2]), silero: '' });
  const job = decodes.add(new Float32Array(16000).fill(0.1), 'final', 'somebody');
  process.stdout.write(JSON.stringify({ text: await job.text, language: job.language }));`;

describe('Recognizer', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'sense-voice-'));
    heardGerman(directory);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** By the built module, whose native library may not crash this process. */
  const heardIn = (language?: string): unknown => {
    const module = pathToFileURL('packages/media/dist/recognition/recognizer.js').href;
    const model = JSON.stringify(layoutOf(directory, language)!.model);
    const args = ['--input-type=module', '-e', PROGRAM, module, model];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }));
  };

  it('tells the language that a model of several heard', () => {
    expect(heardIn()).toEqual({ text: 'hallo', language: 'de' });
  });

  it('tells none if it was told one', () => {
    expect(heardIn('en')).toEqual({ text: 'hallo' });
  });
});
