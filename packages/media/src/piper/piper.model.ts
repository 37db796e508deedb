import { closeSync, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
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
const GRAPH = 7;

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
  const head = Buffer.alloc(20);
  let hasGraph = false;
  let at = 0;
  for (let part = 0; at < size; part++) {
    if (part === MAX_PARTS) return false;
    const view = head.subarray(0, readSync(descriptor, head, 0, head.length, at));
    const tag = varint(view, 0);
    const value = tag && varint(view, tag.end);
    const form = tag && tag.value % 8;
    // A varint or a length-delimited field; ONNX has no others here.
    if (!value || (form !== 0 && form !== 2)) return false;
    at += value.end + (form === 2 ? value.value : 0);
    if (form === 2 && Math.floor(tag.value / 8) === GRAPH && value.value > 0) hasGraph = true;
  }
  return hasGraph && at === size;
}

function varint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let n = 0; n < 10 && at + n < bytes.length; n++) {
    const byte = bytes[at + n]!;
    value += (byte & 127) * 2 ** (7 * n);
    if (byte < 128) return { value, end: at + n + 1 };
  }
  return undefined;
}
