import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';

/** Packages that must exist once per process, since their classes are compared. */
const SINGLE = ['@nestjs/common', '@nestjs/core', 'mongoose', 'class-validator', 'class-transformer'];

/** Packages that pass objects of those classes to the service. */
const BETWEEN = ['@nestjs/core', '@nestjs/mongoose'];

/**
 * Detects a second copy of a package, in the program or between the two: injection, schemas, errors and validation
 * would fail with misleading errors.
 *
 * @param program the file that was started
 * @returns two lines that name the package and its locations
 */
export function findSecondCopy(program = process.argv[1]): string | undefined {
  const ofService = createRequire(import.meta.url);
  const others = BETWEEN.map((name): [string, string | undefined] => [name, locate(ofService, name)]);
  if (program !== undefined && isAbsolute(program)) others.unshift(['the program', realPath(program)]);
  for (const name of SINGLE) {
    const own = locate(ofService, name);
    for (const [who, path] of others) {
      const other = path && locate(createRequire(join(path, 'package.json')), name);
      if (own && other && other !== own)
        return `There are two copies of ${name}: the service has ${own}, ${who} ${other}.\nInstall one version that both accept ("npm ls ${name}" shows which package wants which).`;
    }
  }
  return undefined;
}

/** The directory of a package; undefined if it is not found. */
function locate(require: NodeJS.Require, name: string): string | undefined {
  for (const directory of require.resolve.paths(name) ?? []) {
    try {
      return realpathSync(join(directory, name));
    } catch {
      // Not found here.
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
