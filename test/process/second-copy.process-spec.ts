import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'copies-'))));
afterEach(() => rmSync(directory, { recursive: true }));

// Of the built service, as a program imports it: what comes after the import is not reached.
it.each([
  ['a host', 'index.js', '@nestjs/core'],
  ['a host', 'index.js', 'mongoose'],
  ['a test of a module', 'testing/index.js', 'mongoose'],
])('%s with another copy ends with exit code 1 and two lines when it imports %s', (_, entry, name) => {
  mkdirSync(join(directory, 'node_modules', name), { recursive: true });
  const main = join(directory, 'main.mjs');
  writeFileSync(main, `import '${pathToFileURL(join(process.cwd(), 'dist', entry))}';\nconsole.error('imported');\n`);
  const { status, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^There are two copies of ${name}: .*\n.*\n$`)),
  ]);
});
