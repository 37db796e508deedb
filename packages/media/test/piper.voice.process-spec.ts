import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DOUBLE, FLOAT, input, INT64, node, number, onnx, output, tensor } from './onnx.model.js';

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'voice-'))));
afterAll(() => rmSync(directory, { recursive: true }));

/** A model that a phoneme id lasts as many frames as the id is, with eight samples of sound for each id. */
const model = (rounding: string, precision: number) =>
  onnx([
    node('Cast', ['input'], 'numbers', number('to', precision)),
    node(rounding, ['numbers'], 'rounded'),
    node('Cast', ['rounded'], 'frames', number('to', FLOAT)),
    node(
      'Concat',
      Array.from({ length: 8 }, () => 'frames'),
      'both',
      number('axis', 1),
    ),
    node('Reciprocal', ['both'], 'quiet'),
    tensor('shape', INT64, [4], BigInt64Array.from([1n, 1n, 1n, -1n])),
    node('Reshape', ['quiet', 'shape'], 'output'),
    input('input', INT64, 2),
    input('input_lengths', INT64, 1),
    input('scales', FLOAT, 1),
    output('output', FLOAT, 4),
  ]);

const PROGRAM = `
  const { PiperVoice } = await import(process.argv[1]);
  const config = { sampleRate: 16000, speakers: 1, noiseScale: 0, noiseW: 0, lengthScale: 1 };
  const voice = await PiperVoice.load({ file: process.argv[2], config }, process.argv[3]);
  const { samples, ends } = voice.generate([1, 2, 5], 0, 1);
  process.stdout.write(JSON.stringify({ length: samples.length, ends }));`;

/** The sound of the ids 1, 2 and 5, by the built module, whose native library may not crash this process. */
function soundOf(rounding: string, precision = FLOAT): { length: number; ends?: number[] } {
  const file = join(directory, `${rounding}-${precision}.onnx`);
  writeFileSync(file, model(rounding, precision));
  const module = pathToFileURL('packages/media/dist/piper/piper.voice.js').href;
  const args = ['--input-type=module', '-e', PROGRAM, module, file, directory];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })) as never;
}

it.each([FLOAT, DOUBLE])('tells when each id ends, by the frames that the model rounds up', (precision) => {
  const { length, ends } = soundOf('Ceil', precision);
  expect(length).toBe(24);
  const frame = 24 / 16_000 / 8;
  expect(ends).toEqual([1, 3, 8].map((frames) => expect.closeTo(frames * frame, 6) as number));
});

it('speaks without them if the model rounds nothing up', () => {
  expect(soundOf('Floor')).toEqual({ length: 24 });
});
