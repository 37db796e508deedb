import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file with a secret that is too short. */
export class ShortSecretError extends Error {
  constructor(readonly file: string) {
    super(`${file} holds no secret`);
    this.name = 'ShortSecretError';
  }
}

/**
 * The generated signing secret of a service without a configured one: created at the first start and stored in the data
 * directory. The file appears atomically (written to a temporary file, then linked), so processes that start together
 * agree on one.
 *
 * @param minBytes of the secret, without surrounding white space
 * @param warnings gets a warning if others can read the file
 * @throws ShortSecretError
 */
export function generatedSecret(dataDir: string, minBytes: number, warnings: string[]): string {
  const file = join(dataDir, 'jwt-secret');
  const secret = readIfPresent(file) ?? generate(dataDir, file);
  if (Buffer.byteLength(secret) < minBytes) throw new ShortSecretError(file);
  // Windows has no such modes.
  if (process.platform !== 'win32' && statSync(file).mode & 0o077)
    warnings.push(`${file} can be read by others, who can forge tokens with it; it should have mode 600`);
  return secret;
}

function generate(dataDir: string, file: string): string {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
