import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'copies-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const FAULT = (name: string) => new RegExp(`^There are two copies of ${name}: .*\n.*\n$`);

/** Runs a program that finds a second copy of a package, and imports the service in the style of its code. */
function run(name: string, code: (entry: string) => string, entry = 'index.js') {
  mkdirSync(join(directory, 'node_modules', name), { recursive: true });
  const main = join(directory, 'main.mjs');
  writeFileSync(main, code(pathToFileURL(join(process.cwd(), 'dist', entry)).href));
  return spawnSync(process.execPath, [main], { encoding: 'utf8' });
}

// Imports the built service like a program: code after the import is not reached.
it.each([
  ['a host', 'index.js', '@nestjs/core'],
  ['a host', 'index.js', 'mongoose'],
  ['a test of a module', 'testing/index.js', 'mongoose'],
])('%s with another copy exits with code 1 and two lines when it imports %s', (_, entry, name) => {
  const { status, stderr } = run(name, (url) => `import '${url}';\nconsole.error('imported');\n`, entry);
  expect([status, stderr]).toEqual([1, expect.stringMatching(FAULT(name))]);
});

it.each([
  ["catches the import's error", (url: string) => `await import('${url}').catch(told);`],
  ['handles uncaught exceptions', (url: string) => `process.on('uncaughtException', told);\nimport('${url}');`],
])('a host that %s continues', (_, code) => {
  const told = `const told = ({ message }) => {\n  console.error(message);\n  setTimeout(() => process.exit(7));\n};\n`;
  const { status, stderr } = run('mongoose', (url) => told + code(url));
  expect([status, stderr]).toEqual([7, expect.stringMatching(FAULT('mongoose'))]);
});
