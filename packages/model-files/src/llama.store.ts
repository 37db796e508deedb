import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { downloadFile, type RemoteFile } from './hub.download.js';
import { ModelError } from './model.error.js';
import { withLock } from './model.lock.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MAX_BYTES = 2 ** 40;
const EXTENSION = '.gguf';
/** The oldest and newest version of the format that is read. */
const [OLDEST, NEWEST] = [2, 3];

export interface LlamaInstallOptions {
  /** Left out: the name of the file. */
  readonly name?: string | undefined;
  /** Hexadecimal. */
  readonly sha256?: string | undefined;
  readonly onProgress?: (received: number, total?: number) => void;
  readonly onWait?: () => void;
}

/** The language models in a directory, each a GGUF file. */
export class LlamaStore {
  readonly directory: string;

  /** @param modelsDir the directory of all models */
  constructor(modelsDir: string) {
    this.directory = join(modelsDir, 'language');
  }

  /** The path of a model. @param model the name of an installed one, or a path that ends in `.gguf` */
  pathOf(model: string): string {
    const isPath = isAbsolute(model) || /[\\/]/.test(model) || model.endsWith(EXTENSION);
    return isPath ? model : join(this.directory, model + EXTENSION);
  }

  /** Why a model cannot be used, as far as its first bytes tell; undefined if it can. */
  faultOf(model: string): string | undefined {
    return faultOfFile(this.pathOf(model));
  }

  /** The installed models, by name, with their sizes in bytes. */
  async list(): Promise<{ name: string; bytes: number }[]> {
    const files = await readdir(this.directory).catch(() => []);
    const names = files.filter((file) => file.endsWith(EXTENSION)).map(nameOf);
    const known = names.filter(isName).sort();
    return Promise.all(known.map(async (name) => ({ name, bytes: (await stat(this.pathOf(name))).size })));
  }

  /**
   * Installs a model, in place of one of its name.
   *
   * @returns its name
   * @throws ModelError; what was downloaded before the connection broke stays for the next try
   */
  async install(source: RemoteFile, options: LlamaInstallOptions = {}): Promise<string> {
    const name = nameOf(options.name ?? basename(source.name));
    if (!isName(name))
      throw new ModelError('A model is named by 1 to 100 letters, digits, dots, hyphens and underscores.');
    const key = createHash('sha256').update(`${name} ${source.url}`).digest('hex').slice(0, 16);
    const partial = join(this.directory, `.partial-${key}`);
    const sha256 = options.sha256?.toLowerCase();
    return withLock(this.directory, options.onWait, async () => {
      try {
        await downloadFile({ ...source, ...(sha256 ? { sha256 } : {}) }, partial, options.onProgress, MAX_BYTES);
        const fault = faultOfFile(partial);
        if (fault !== undefined) throw new ModelError(`${source.name} ${fault}.`);
        await rename(partial, this.pathOf(name));
      } catch (error) {
        if (!(error instanceof ModelError && error.mayResume)) await rm(partial, { force: true });
        throw error;
      }
      return name;
    });
  }

  /** @param file its name, or that of its file. @returns whether there was such a model */
  async remove(file: string): Promise<boolean> {
    const name = nameOf(file);
    if (!isName(name)) return false;
    return withLock(this.directory, undefined, async () => {
      const isThere = existsSync(this.pathOf(name));
      await rm(this.pathOf(name), { force: true });
      return isThere;
    });
  }
}

/** Never true of what {@link LlamaStore.pathOf} takes for a path. */
function isName(name: string): boolean {
  return NAME.test(name) && !name.endsWith(EXTENSION);
}

/** A name without the extension of files. */
function nameOf(file: string): string {
  return file.endsWith(EXTENSION) ? file.slice(0, -EXTENSION.length) : file;
}

function faultOfFile(path: string): string | undefined {
  const head = Buffer.alloc(24);
  try {
    const file = openSync(path, 'r');
    try {
      const isWhole = readSync(file, head, 0, head.length, 0) === head.length;
      if (!isWhole || head.toString('latin1', 0, 4) !== 'GGUF') return 'is no GGUF file';
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
  }
  const version = head.readUInt32LE(4);
  return version >= OLDEST && version <= NEWEST ? undefined : 'is a GGUF file of an unknown version';
}
