import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layoutOf } from './sherpa.layout.js';

let root: string;
beforeAll(() => (root = mkdtempSync(join(tmpdir(), 'layout-'))));
afterAll(() => rmSync(root, { recursive: true }));

/** A directory with empty files of these names. */
function directory(name: string, files: readonly string[]): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  for (const file of files) writeFileSync(join(path, file), '');
  return path;
}

describe('layoutOf', () => {
  it.each<[string, string[], object]>([
    ['moonshine-tiny', ['encoder_model.onnx', 'decoder_model_merged.onnx', 'tokens.txt'], { moonshine: { encoder: 'encoder_model.onnx', mergedDecoder: 'decoder_model_merged.onnx' } }], // prettier-ignore
    ['sherpa-onnx-moonshine-tiny-en-int8', ['preprocess.onnx', 'encode.int8.onnx', 'uncached_decode.int8.onnx', 'cached_decode.int8.onnx', 'tokens.txt'], { moonshine: { preprocessor: 'preprocess.onnx', encoder: 'encode.int8.onnx', uncachedDecoder: 'uncached_decode.int8.onnx', cachedDecoder: 'cached_decode.int8.onnx' } }], // prettier-ignore
    ['sherpa-onnx-whisper-tiny', ['tiny-encoder.onnx', 'tiny-encoder.int8.onnx', 'tiny-decoder.onnx', 'tiny-decoder.int8.onnx', 'tiny-tokens.txt'], { whisper: { encoder: 'tiny-encoder.int8.onnx', decoder: 'tiny-decoder.int8.onnx', language: '', task: 'transcribe' } }], // prettier-ignore
    ['sherpa-onnx-zipformer-de', ['encoder-epoch-99.onnx', 'decoder-epoch-99.onnx', 'joiner-epoch-99.onnx', 'tokens.txt'], { transducer: { encoder: 'encoder-epoch-99.onnx', decoder: 'decoder-epoch-99.onnx', joiner: 'joiner-epoch-99.onnx' } }], // prettier-ignore
    ['sherpa-onnx-sense-voice-zh-en', ['model.int8.onnx', 'tokens.txt'], { senseVoice: { model: 'model.int8.onnx', language: '', useInverseTextNormalization: 1 } }], // prettier-ignore
    ['sherpa-onnx-paraformer-zh', ['model.onnx', 'tokens.txt'], { paraformer: { model: 'model.onnx' } }],
    ['sherpa-onnx-nemo-ctc-de', ['model.onnx', 'tokens.txt', 'silero_vad.onnx'], { nemoCtc: { model: 'model.onnx' } }],
  ])('recognizes %s', (name, files, expected) => {
    const path = directory(name, files);
    const { model, silero } = layoutOf(path)!;
    const { tokens, ...config } = JSON.parse(JSON.stringify(model).replaceAll(`${path}/`, '')) as typeof model;
    expect(config).toEqual(expected);
    expect(tokens).toMatch(/tokens\.txt$/);
    expect(silero).toBe(files.includes('silero_vad.onnx') ? join(path, 'silero_vad.onnx') : undefined);
  });

  it.each<[string, string[]]>([
    ['no-tokens', ['encoder.onnx', 'decoder.onnx']],
    ['some-model', ['model.onnx', 'tokens.txt']],
    ['nothing', []],
  ])('finds no model in %s', (name, files) => {
    expect(layoutOf(directory(name, files))).toBeUndefined();
    expect(layoutOf(join(root, 'there-is-no-directory'))).toBeUndefined();
  });
});
