import { setImmediate } from 'node:timers/promises';
import { filesFor, SHIPPED_SCRIPTS } from '../../test/scripts.js';
import { compileScript } from '../script/compile.js';
import { ScriptReader } from '../script/reader.js';
import { atOnce, inSlices } from './slices.js';

function* counting(to: number): Generator<void, number, void> {
  for (let n = 0; n < to; n++) yield;
  return to;
}

it('gives the outcome of work in steps', async () => {
  expect(atOnce(counting(3))).toBe(3);
  expect(await inSlices(counting(3))).toBe(3);
});

it('lets other work happen in between, if the work takes long', async () => {
  let turns = 0;
  let isDone = false;
  const count = async () => {
    for (; !isDone; turns++) await setImmediate();
  };
  const counted = count();
  const slow = function* () {
    for (let n = 0; n < 5; n++) yield Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10) as never;
  };
  await inSlices(slow());
  isDone = true;
  await counted;
  expect(turns).toBeGreaterThanOrEqual(5);
});

it('makes a shipped script ready in many slices, once for all who wait for it', async () => {
  const folder = `${SHIPPED_SCRIPTS}/ada`;
  const fresh = new ScriptReader(SHIPPED_SCRIPTS);
  await fresh.readAhead(folder);
  const script = fresh.open(folder).get('es')!;
  let turns = 0;
  let isDone = false;
  const count = async () => {
    for (; !isDone; turns++) await setImmediate();
  };
  const counted = count();
  const waiting = script.prepare();
  expect(script.prepare()).toBe(waiting);
  await waiting;
  isDone = true;
  await counted;
  expect(turns).toBeGreaterThan(10);
});

it('finds the same, made in slices or at once', async () => {
  const file = {
    rules: [{ id: 'hi', match: ['hi'], answers: ['Hi.'] }],
    fallback: ['x'],
    intents: [
      { id: 'moon', examples: ['how far is the moon', 'distance to the moon'], answers: ['Far.'] },
      { id: 'sun', examples: ['how hot is the sun', 'temperature of the sun'], answers: ['Hot.'] },
    ],
  };
  const [one, other] = [0, 1].map(() => compileScript(file, filesFor('en')));
  await one!.prepare();
  const found = [one!, other!].map(({ knowledge }) => {
    const { intents, terms } = knowledge!;
    const match = intents.best(terms.of('what is the temperature of the sun?'))!;
    return [match.rule.id, match.score];
  });
  expect(found[0]).toEqual(found[1]);
  expect(found[0]![0]).toBe('sun');
});
