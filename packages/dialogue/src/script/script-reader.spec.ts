import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replyTo } from '../reply.js';
import { ScriptLibrary } from './script-library.js';
import { missingLanguage, type Script, ScriptReader } from './script-reader.js';

let collection: string;
let folder: string;
let written = 1_000;

beforeEach(() => {
  collection = mkdtempSync(join(tmpdir(), 'scripts-'));
  folder = mkdtempSync(join(tmpdir(), 'script-'));
  write(
    'care/en.jsonl',
    '{"words":{"filler":["the"]}}\n{"id":"crisis","priority":100,"match":["end it all"],"answer":["Help."]}',
  );
  write('shared/en.jsonl', '{"id":"joke","say":["a joke"],"answer":["Shared."]}\n{"id":"unknown","answer":["?"]}');
  own('{"id":"hours","say":["opening hours"],"answer":["Nine to five."]}');
});

afterEach(() => {
  for (const made of [collection, folder]) rmSync(made, { recursive: true });
});

function write(name: string, text: string | Uint8Array, into = collection): void {
  const path = join(into, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, ++written, written);
}

const own = (text: string | Uint8Array, name = 'en.jsonl') => write(name, text, folder);
const reader = () => new ScriptReader(collection);
const ask = (script: Script, request: string) =>
  replyTo({ avatar: { name: 'Zed' }, request, history: [] }, script.in('en'), [], 0);

it('gives every script what all have, and lets it say something else, or nothing', () => {
  const answers = () =>
    ['a joke', 'the opening hours', 'end it all'].map((said) => ask(reader().open(folder), said).answer);
  expect(answers()).toEqual(['Shared.', 'Nine to five.', 'Help.']);
  own('{"id":"joke","answer":["Own."]}\n{"id":"hours","say":["opening hours"],"answer":["Nine to five."]}');
  expect(answers()[0]).toBe('Own.');
  own('{"id":"joke","off":true}');
  expect(answers()).toEqual(['?', '?', 'Help.']);
});

it('names all faults with their files and lines', () => {
  own('{"id":"a"}');
  own('{"id":"unknown","match":["*"],"answer":["B."]}', 'de.jsonl');
  expect(() => reader().read(folder)).toThrow(
    'de.jsonl: unknown: must start with a word\nen.jsonl: line 1: needs an answer, or examples, or patterns',
  );
  own(Uint8Array.of(0xff, 0xfe), 'de.jsonl');
  expect(() => reader().read(folder)).toThrow('de.jsonl: is not UTF-8, or cannot be read');
});

it('names the format that follows that of an earlier build', () => {
  rmSync(join(folder, 'en.jsonl'));
  expect(missingLanguage(folder)).toBe('there is no file named after a language, such as en.jsonl');
  own('{"rules":[],"fallback":["?"]}', 'en.json');
  expect(missingLanguage(folder)).toMatch(/^en\.json is of an earlier format: .* in en\.jsonl$/);
});

it('reads a script again after a change, and keeps it while it has faults', () => {
  const report = jest.fn();
  const library = new ScriptLibrary(reader(), report);
  const hours = (now: number) => ask(library.open(folder, now), 'opening hours').answer;
  expect(hours(0)).toBe('Nine to five.');
  own('{"id":"hours","say":["opening hours"],"answer":["Always."]}');
  expect([hours(1_000), hours(3_000)]).toEqual(['Nine to five.', 'Always.']);
  own('{"id":');
  expect(hours(6_000)).toBe('Always.');
  expect(report).toHaveBeenCalledWith(expect.stringContaining('en.jsonl: line 1: is not a JSON object on one line'));
});

it('notices a change in what all scripts have', () => {
  const library = new ScriptLibrary(reader());
  expect(ask(library.open(folder, 0), 'a joke').answer).toBe('Shared.');
  write('shared/en.jsonl', '{"id":"joke","say":["a joke"],"answer":["Changed."]}\n{"id":"unknown","answer":["?"]}');
  expect(ask(library.open(folder, 3_000), 'a joke').answer).toBe('Changed.');
});
