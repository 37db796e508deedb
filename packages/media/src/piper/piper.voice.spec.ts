import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { field, GRAPH, MODEL, NODE } from './onnx.fields.js';

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'voice-'))));
afterAll(() => rmSync(directory, { recursive: true }));

const [FLOAT, INT64] = [1, 7];
const message = (number: number, ...parts: Buffer[]) => field(number, Buffer.concat(parts));
const node = (operator: string, inputs: string[], output: string, ...attributes: Buffer[]) =>
  message(
    GRAPH.node,
    ...inputs.map((name) => field(NODE.input, name)),
    field(NODE.output, output),
    field(NODE.operator, operator),
    ...attributes,
  );
const number = (name: string, value: number) => message(NODE.attribute, field(1, name), field(3, value), field(20, 2));
const value = (part: number, name: string, type: number, rank: number) => {
  const dimensions = Array.from({ length: rank }, (_, at) => message(1, field(2, `d${at}`)));
  return message(part, field(1, name), message(2, message(1, field(1, type), message(2, ...dimensions))));
};
/** A model that a phoneme id lasts as many frames as the id is, with eight samples of sound for each id. */
const model = (rounding: string) =>
  Buffer.concat([
    field(1, 8),
    message(
      MODEL.graph,
      node('Cast', ['input'], 'numbers', number('to', FLOAT)),
      node(rounding, ['numbers'], 'frames'),
      node(
        'Concat',
        Array.from({ length: 8 }, () => 'frames'),
        'both',
        number('axis', 1),
      ),
      node('Reciprocal', ['both'], 'quiet'),
      node('Reshape', ['quiet', 'shape'], 'output'),
      message(
        GRAPH.initializer,
        field(1, 4),
        field(2, INT64),
        field(8, 'shape'),
        field(9, Buffer.from(BigInt64Array.from([1n, 1n, 1n, -1n]).buffer)),
      ),
      field(2, 'test'),
      value(11, 'input', INT64, 2),
      value(11, 'input_lengths', INT64, 1),
      value(11, 'scales', FLOAT, 1),
      value(GRAPH.output, 'output', FLOAT, 4),
    ),
    message(8, field(2, 15)),
  ]);

const PROGRAM = `
  const { PiperVoice } = await import(process.argv[1]);
  const config = { sampleRate: 16000, speakers: 1, noiseScale: 0, noiseW: 0, lengthScale: 1 };
  const voice = await PiperVoice.load({ file: process.argv[2], config }, process.argv[3]);
  const { samples, ends } = voice.generate([1, 2, 5], 0, 1);
  process.stdout.write(JSON.stringify({ length: samples.length, ends }));`;

/** The sound of the ids 1, 2 and 5, by the built module, whose native library may not crash this process. */
function soundOf(rounding: string): { length: number; ends?: number[] } {
  const file = join(directory, `${rounding}.onnx`);
  writeFileSync(file, model(rounding));
  const module = pathToFileURL('packages/media/dist/piper/piper.voice.js').href;
  const args = ['--input-type=module', '-e', PROGRAM, module, file, directory];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })) as never;
}

it('tells when each id ends, by the frames that the model rounds up', () => {
  const { length, ends } = soundOf('Ceil');
  expect(length).toBe(24);
  const frame = 24 / 16_000 / 8;
  expect(ends).toEqual([1, 3, 8].map((frames) => expect.closeTo(frames * frame, 6) as number));
});

it('speaks without them if the model rounds nothing up', () => {
  expect(soundOf('Floor')).toEqual({ length: 24 });
});
