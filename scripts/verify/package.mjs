/**
 * Packs the service as npm would publish it, installs the package beside each of the examples in a directory of its own,
 * and builds and tests the example there: so it is known that a package of another team needs nothing but the door.
 *
 *     npm run verify:package
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../ensure-built.mjs';

const directory = mkdtempSync(join(tmpdir(), 'package-'));
const npm = (cwd, ...args) =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
try {
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const packed = ['packages/embedded-mongo', '.'].flatMap((path) => JSON.parse(npm(path, ...pack)));
  for (const { filename, entryCount, unpackedSize } of packed)
    console.log(`${filename}: ${entryCount} files, ${(unpackedSize / 1024 / 1024).toFixed(1)} MiB`);
  const tarballs = packed.map(({ filename }) => join(directory, filename));
  for (const name of readdirSync('examples')) {
    const copy = join(directory, name);
    cpSync(join('examples', name), copy, {
      recursive: true,
      filter: (source) => !/[\\/](node_modules|dist)$/.test(source),
    });
    npm(copy, 'install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', ...tarballs);
    npm(copy, 'run', '--silent', 'build');
    console.log(
      npm(copy, 'test', '--silent')
        .split('\n')
        .filter((line) => /^(ℹ|#) (pass|fail) /.test(line))
        .join('; '),
      name,
    );
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
