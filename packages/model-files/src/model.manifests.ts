import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPiperModel, layoutOf, parsePiperConfig } from 'avatar-chat-media';
import { ModelError } from './model.error.js';
import type { ModelFacts, ModelFile } from './model.list.js';

/** What a model's directory says of itself, so that a copy of it is a model as well. */
export interface Manifest extends ModelFacts {
  readonly files: readonly Pick<ModelFile, 'name' | 'size' | 'sha256'>[];
}

export const MANIFEST = 'model.json';
/** In the directory of models: the digests of all files ever fetched, by `model/file`. */
const PINS = 'models.lock.json';

/** @returns undefined if there is none */
export async function readManifest(directory: string): Promise<Manifest | undefined> {
  const found = (await readJson(join(directory, MANIFEST))) as Partial<Manifest> | undefined;
  const { name, purpose, languages, files } = found ?? {};
  const isWhole =
    typeof name === 'string' &&
    typeof purpose === 'string' &&
    Array.isArray(languages) &&
    Array.isArray(files) &&
    files.every((file) => /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u.test(file?.name) && file.size >= 0 && file.sha256);
  return isWhole ? (found as Manifest) : undefined;
}

export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
}

export async function readPins(directory: string): Promise<Readonly<Record<string, string>>> {
  return ((await readJson(join(directory, PINS))) as Record<string, string> | undefined) ?? {};
}

/** @throws ModelError if a file had another digest before */
export async function pinFiles(directory: string, { name, files }: Manifest): Promise<void> {
  const pins = await readPins(directory);
  const changed = files.find((file) => (pins[`${name}/${file.name}`] ?? file.sha256) !== file.sha256);
  if (changed)
    throw new ModelError(
      `${changed.name} of ${name} is not the file that ${PINS} has the digest of; it was fetched before.`,
    );
  const all = { ...pins, ...Object.fromEntries(files.map((file) => [`${name}/${file.name}`, file.sha256])) };
  const path = join(directory, PINS);
  await writeFile(`${path}.new`, `${JSON.stringify(all, null, 2)}\n`, { flush: true });
  await rename(`${path}.new`, path);
}

/**
 * The facts of a model whose files have arrived, with the languages of a voice by its configuration.
 *
 * @throws ModelError if the files do not belong together
 */
export async function examined(facts: ModelFacts, directory: string, names: readonly string[]): Promise<ModelFacts> {
  try {
    if (facts.purpose === 'recognition' && !layoutOf(directory))
      throw new Error('its files are not those of a recogniser');
    if (facts.purpose !== 'voice') return facts;
    const file = names.find((name) => name.endsWith('.onnx'))!;
    const config = await readFile(join(directory, `${file}.json`), 'utf8');
    const { espeakVoice } = parsePiperConfig(config);
    findPiperModel(file, directory);
    const own = espeakVoice.toLowerCase().split('-', 1)[0]!;
    return facts.languages.length > 0 ? facts : { ...facts, languages: [own === 'cmn' ? 'zh' : own] };
  } catch (error) {
    throw new ModelError(`${facts.name} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
