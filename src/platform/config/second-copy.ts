import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';

/** Packages of which a process must have one copy: their classes are compared. */
const SINGLE = ['@nestjs/common', '@nestjs/core', 'mongoose', 'class-validator', 'class-transformer'];

/**
 * Refuses a program that finds another copy of a package than the service does: injection, errors and validation would
 * fail in ways that name anything but the cause.
 *
 * @param program the file that was started
 * @throws Error of two lines at most, which names the package
 */
export function demandSingleCopies(program = process.argv[1]): void {
  const ofService = createRequire(import.meta.url);
  if (program === undefined || !isAbsolute(program)) return;
  const ofProgram = createRequire(realPath(program));
  for (const name of SINGLE) {
    const own = locate(ofService, name);
    const other = locate(ofProgram, name);
    if (own !== undefined && other !== undefined && other !== own)
      throw new Error(
        `There are two copies of ${name}: the service has ${own}, the program ${other}.\nInstall one version that both accept ("npm ls ${name}" shows who wants which).`,
      );
  }
}

/** The directory of a package; undefined where it is not found. */
function locate(require: NodeJS.Require, name: string): string | undefined {
  for (const directory of require.resolve.paths(name) ?? []) {
    try {
      return realpathSync(join(directory, name));
    } catch {
      // Not here.
    }
  }
  return undefined;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
