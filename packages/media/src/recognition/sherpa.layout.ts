import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The part of sherpa-onnx's `modelConfig` that depends on the files of a model. */
export type ModelConfig = Readonly<Record<string, unknown>> & { readonly tokens: string };

/** The files in a model's directory. */
export interface ModelLayout {
  readonly model: ModelConfig;
  /** Silero's voice activity detection; undefined if the directory has none. */
  readonly silero?: string;
}

/**
 * Detects the kind of model in a directory by the file names of sherpa-onnx's published models: Moonshine, Whisper, a
 * transducer (Zipformer, Parakeet), SenseVoice, Paraformer or a CTC model. Prefers quantized files.
 *
 * @param language the only one, for models of several
 * @returns undefined if it is none of these
 */
export function layoutOf(directory: string, language = ''): ModelLayout | undefined {
  const names = filesIn(directory);
  /** A file that has all the words in its name, and the ending. */
  const findNamed = (words: readonly string[], ending = /\.onnx$/) =>
    best(names.filter((name) => words.every((word) => name.includes(word)) && ending.test(name)));
  const find = (pattern: RegExp) => best(names.filter((name) => pattern.test(name)));
  function best(given: readonly string[]): string | undefined {
    const found = [...given].sort();
    const first = found.find((name) => name.includes('int8')) ?? found[0];
    return first === undefined ? undefined : join(directory, first);
  }
  const tokens = find(/tokens\.txt$/);
  const silero = find(/^silero_vad.*\.onnx$/);
  const encoder = findNamed(['encoder'], /\.(onnx|ort)$/) ?? find(/^encode.*\.onnx$/);
  const merged = findNamed(['decoder', 'merged'], /\.(onnx|ort)$/);
  const [decoder, joiner, preprocessor] = [findNamed(['decoder']), findNamed(['joiner']), find(/^preprocess.*\.onnx$/)];
  const [uncachedDecoder, cachedDecoder] = [find(/^uncached_decode.*\.onnx$/), find(/^cached_decode.*\.onnx$/)];
  if (!tokens) return undefined;
  const as = (config: object): ModelLayout => ({ model: { ...config, tokens }, silero });
  if (encoder && merged) return as({ moonshine: { encoder, mergedDecoder: merged } });
  if (preprocessor && encoder && uncachedDecoder && cachedDecoder)
    return as({ moonshine: { preprocessor, encoder, uncachedDecoder, cachedDecoder } });
  if (encoder && decoder && joiner) return as({ transducer: { encoder, decoder, joiner } });
  if (encoder && decoder) return as({ whisper: { encoder, decoder, language, task: 'transcribe' } });
  const model = find(/^model.*\.onnx$/);
  if (!model) return undefined;
  const name = basename(directory);
  if (/sense-?voice/i.test(name)) return as({ senseVoice: { model, language, useInverseTextNormalization: 1 } });
  if (/paraformer/i.test(name)) return as({ paraformer: { model } });
  if (/zipformer/i.test(name)) return as({ zipformerCtc: { model } });
  if (/ctc|nemo|parakeet|giga/i.test(name)) return as({ nemoCtc: { model } });
  return undefined;
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
