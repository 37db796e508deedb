import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSecondCopy } from './second-copy.js';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'copies-'))));
afterEach(() => rmSync(directory, { recursive: true }));

it("accepts a program that finds the service's packages, or none", () => {
  expect(findSecondCopy(__filename)).toBeUndefined();
  expect(findSecondCopy(join(directory, 'main.js'))).toBeUndefined();
});

it.each(['@nestjs/common', 'mongoose'])('reports another copy of %s in the program in two lines', (name) => {
  mkdirSync(join(directory, 'node_modules', name), { recursive: true });
  const main = join(directory, 'main.js');
  writeFileSync(main, '');
  expect(findSecondCopy(main)).toMatch(
    new RegExp(`^There are two copies of ${name}: the service has .*, the program ${realpathSync(directory)}/.*\\n.*$`),
  );
});
