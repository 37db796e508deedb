import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demandSingleCopies } from './second-copy.js';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'copies-'))));
afterEach(() => rmSync(directory, { recursive: true }));

it('a program that finds the packages of the service, or none, is fine', () => {
  expect(() => demandSingleCopies(__filename)).not.toThrow();
  expect(() => demandSingleCopies(join(directory, 'main.js'))).not.toThrow();
});

it.each(['@nestjs/common', 'mongoose'])(
  'a program with another copy of %s is refused in two lines that name it',
  (name) => {
    mkdirSync(join(directory, 'node_modules', name), { recursive: true });
    const main = join(directory, 'main.js');
    writeFileSync(main, '');
    expect(() => demandSingleCopies(main)).toThrow(new RegExp(`^There are two copies of ${name}: .*\\n.*$`));
  },
);
