import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EspeakData, type EmscriptenFiles } from './espeak.data.js';

const ROOT = '/usr/share/espeak-ng-data';
let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'espeak-'))));
afterAll(() => rmSync(directory, { recursive: true }));

it('each file has its part of the data, read when it is opened, and again after another one', () => {
  const path = join(directory, 'data');
  writeFileSync(path, 'onethree');
  const data = new EspeakData();
  const all = data.open(path, 8);
  const nodes = new Map(
    [
      [`${ROOT}/one`, new Uint8Array(all, 0, 3)],
      [`${ROOT}/lang/three`, new Uint8Array(all, 3, 5)],
    ].map(([name, contents]) => [name, { mode: 0, contents }]),
  ) as Map<string, { mode: number; contents: Uint8Array }>;
  const names: Record<string, string[]> = {
    [ROOT]: ['.', '..', 'one', 'lang'],
    [`${ROOT}/lang`]: ['.', '..', 'three'],
  };
  data.attach({
    readdir: (name) => names[name]!,
    lookupPath: (name) => ({ node: nodes.get(name) ?? { mode: 1, contents: new Uint8Array() } }),
    isDir: (mode) => mode === 1,
  } satisfies EmscriptenFiles);
  const text = (name: string) => Buffer.from(nodes.get(`${ROOT}/${name}`)!.contents).toString();
  expect(['one', 'lang/three', 'one', 'one'].map(text)).toEqual(['one', 'three', 'one', 'one']);
  expect(Buffer.from(all).every((byte) => byte === 0)).toBe(true);
});
