import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { fieldsIn, MODEL } from './onnx.fields.js';
import { parsePiperConfig, type PiperConfig } from './piper.config.js';

export interface PiperModel {
  readonly file: string;
  /** Changes with the file. */
  readonly version: string;
  readonly config: PiperConfig;
}

/** Why a model cannot be used; `message` quotes nothing. */
export class PiperModelError extends Error {}

const MAX_MODEL_BYTES = 1024 ** 3;
const MAX_CONFIG_BYTES = 1024 ** 2;
/**
 * Maximum number of top-level fields of an ONNX file. There are about ten, and one for each function and each metadata
 * entry.
 */
const MAX_PARTS = 10_000;

/** Finds a model. @param path absolute, or within the directory of models. @throws PiperModelError */
export function findPiperModel(path: string, modelsDir: string): PiperModel {
  if (!/\.onnx$/.test(path) || path.includes('\0')) throw new PiperModelError('must be the path of an .onnx file');
  const file = isAbsolute(path) ? path : join(modelsDir, path);
  if (!isAbsolute(path) && relative(modelsDir, file).startsWith('..'))
    throw new PiperModelError('must be an absolute path, or one within MODELS_DIR');
  const version = readPart(file, MAX_MODEL_BYTES, (descriptor, { mtimeMs, size }) => {
    if (!isWholeOnnx(descriptor, size)) throw new PiperModelError('is not a whole ONNX file');
    return `${mtimeMs}-${size}`;
  });
  try {
    const config = readPart(`${file}.json`, MAX_CONFIG_BYTES, (descriptor) => readFileSync(descriptor, 'utf8'));
    return { file, version, config: parsePiperConfig(config) };
  } catch (error) {
    throw new PiperModelError(`its .onnx.json ${(error as Error).message}`);
  }
}

/** Reads a part of a file. @throws PiperModelError if it cannot be opened, is not a file, or is too large */
function readPart<T>(file: string, maxBytes: number, read: (descriptor: number, status: Stats) => T): T {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    throw new PiperModelError('cannot be read');
  }
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile() || status.size > maxBytes) throw new PiperModelError('is no file, or too large');
    return read(descriptor, status);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether the fields of an ONNX file, a Protocol Buffers message, end where the file does, and one of them is a graph.
 * Otherwise the native library would crash its process.
 */
function isWholeOnnx(descriptor: number, size: number): boolean {
  let [parts, hasGraph] = [0, false];
  try {
    for (const { number, start, end } of fieldsIn(descriptor, { start: 0, end: size })) {
      if (++parts > MAX_PARTS) return false;
      hasGraph ||= number === MODEL.graph && end > start;
    }
    return hasGraph;
  } catch {
    return false;
  }
}
