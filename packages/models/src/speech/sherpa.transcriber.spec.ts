import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelStore } from 'avatar-chat-model-files';
import { TestClock } from '../../../../src/testing/test-clock.js';
import { Recognition } from './recognition.js';
import { SherpaTranscriber } from './sherpa.transcriber.js';

const quietly = () => ({ warn: () => undefined, error: () => undefined });

let model: string;
let transcriber: SherpaTranscriber;
beforeAll(() => {
  model = mkdtempSync(join(tmpdir(), 'whisper-'));
  for (const file of ['base-encoder.onnx', 'base-decoder.onnx', 'base-tokens.txt', 'silero_vad.onnx'])
    writeFileSync(join(model, file), '');
  transcriber = new SherpaTranscriber(new ModelStore(model), new Recognition(new TestClock(), quietly));
});
afterAll(() => rmSync(model, { recursive: true }));

it.each([
  ["the turn's language", { languages: ['de', 'fr'] }, 'fr-CA', 'fr'],
  ['its own choice, if the entry leaves it to the model', { languages: ['de', 'fr'], language: 'auto' }, 'fr', ''],
  ['its own choice, if it is not known which languages it has', {}, 'gsw', ''],
])('a model of several languages gets %s', async (_, entry, language_code, expected) => {
  const found = await transcriber.modelOf({ kind: 'sherpa', model, ...entry }, language_code);
  expect(found?.files.model?.whisper).toMatchObject({ language: expected });
});

it('a language of the entry is "auto" or left out', () => {
  expect(transcriber.validate({ kind: 'sherpa', model })).toEqual([]);
  expect(transcriber.validate({ kind: 'sherpa', model, language: 'auto' } as never)).toEqual([]);
  expect(transcriber.validate({ kind: 'sherpa', model, language: 'de' } as never)).toEqual([
    'language: must be "auto"',
  ]);
});
