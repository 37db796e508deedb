import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findLlama, LLAMA_PACKAGE } from 'avatar-chat-models';

/**
 * The optional package for language models: installed where it is not, outside the repository, with native code for this
 * system alone.
 *
 * @returns undefined where the registry does not have it
 */
export async function llamaPackage(): Promise<URL | undefined> {
  const directory = join(tmpdir(), `avatar-chat-${LLAMA_PACKAGE}`);
  const found = findLlama([directory]);
  if (found) return found;
  const version = LLAMA_PACKAGE.split('@')[1];
  const native = `@node-llama-cpp/${process.platform}-${process.arch}@${version}`;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), '{}');
  const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  try {
    await promisify(execFile)('npm', ['install', ...flags, LLAMA_PACKAGE, native], {
      cwd: directory,
      timeout: 120_000,
    });
  } catch {
    console.warn(`Tests of models inside the service are left out: ${LLAMA_PACKAGE} cannot be installed here`);
  }
  return findLlama([directory]);
}
