import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TestClock } from '../../testing/test-clock.js';
import { type HeardSound, ProcessListener } from './process.listener.js';
import { RecognitionProcess } from './recognition.process.js';

/** A fake program controlled by the level of the audio: a real one cannot be made to hang or crash. */
const OBEDIENT = `
  process.on('disconnect', () => process.exit());
  const ears = new Map();
  process.on('message', ({ ear, order, first, from, sound }) => {
    if (order === 'open') return ears.set(ear, { last: first - 1, orders: [] });
    const state = ears.get(ear);
    const say = (heard) => process.send({ ear, heard });
    if (order === 'commit') {
      const utterance = state.speaks ? state.last : ++state.last;
      state.speaks = false;
      say({ event: 'stopped', utterance, at: 1, committed: true });
      if (state.level !== 4) say({ event: 'final', utterance, text: state.orders.join(' ') });
      state.orders = [];
    } else if (order === 'clear') {
      state.speaks = false;
      process.send({ ear, done: 'clear' });
    } else if (order === 'configure') state.orders.push('configure');
    else if (order === 'hear') {
      state.level = sound[0];
      state.orders.push(from + '+' + sound.length);
      if (sound[0] === 1) { state.speaks = true; say({ event: 'started', utterance: ++state.last, at: 0 }); }
      if (sound[0] === 2) process.exit(134);
      if (sound[0] === 3) return;
      process.send({ ear, done: 'hear' });
    }
  });
  process.send('ready');`;

describe('ProcessListener', () => {
  let directory: string;
  let running: RecognitionProcess;
  let clock: TestClock;
  let heard: HeardSound[];
  let failures: string[];
  let seen: (() => void)[];
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'listener-'));
    writeFileSync(join(directory, 'program.mjs'), OBEDIENT);
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  beforeEach(() => {
    [clock, heard, failures, seen] = [new TestClock(), [], [], []];
    running = processWith({ silence: 30_000, idle: 30_000 });
  });
  afterEach(() => running.stop());

  function processWith(limits: { silence: number; idle: number }) {
    const model = { model: { tokens: 'tokens.txt' }, silero: 'silero.onnx' };
    return new RecognitionProcess(pathToFileURL(join(directory, 'program.mjs')), model, limits);
  }
  const listen = () =>
    new ProcessListener(
      running,
      undefined,
      clock,
      (event) => {
        heard.push(event);
        for (const look of seen) look();
      },
      (failure) => failures.push(failure),
    );
  const sound = (level: number, length = 480) => new Int16Array(length).fill(level);
  /** Waits for a number of events. */
  const events = (count: number) =>
    new Promise<HeardSound[]>((resolve) => {
      const look = () => heard.length >= count && resolve(heard);
      seen.push(look);
      look();
    });

  it('sends the process all audio in order, in larger chunks if it is slow', async () => {
    const listener = listen();
    for (let n = 0; n < 200; n++) listener.push(sound(0));
    expect(listener.commit()).toBe(true);
    const final = (await events(2))[1]!;
    const pieces = ('text' in final ? final.text! : '').split(' ').map((piece) => piece.split('+').map(Number));
    expect(pieces.length).toBeLessThan(20);
    let next = 0;
    for (const [from, length] of pieces) {
      expect(from).toBe(next);
      next += length!;
    }
    expect(next).toBe(200 * 480);
  });

  it('drops what exceeds the buffer, and nothing else', async () => {
    const listener = listen();
    listener.push(sound(0, 24_000 * 9));
    listener.push(sound(0, 24_000 * 60));
    listener.push(sound(0));
    listener.commit();
    const final = (await events(2))[1]!;
    expect('text' in final && final.text!.split(' ').at(-1)).toBe(`${24_000 * 69}+480`);
  });

  it('commits only existing audio', async () => {
    const listener = listen();
    expect(listener.commit()).toBe(false);
    listener.push(sound(0));
    expect(listener.commit()).toBe(true);
    expect(listener.commit()).toBe(false);
    expect(await events(2)).toEqual([
      { event: 'stopped', utterance: 1, at: 1 },
      { event: 'final', utterance: 1, text: '0+480' },
    ]);
    listener.push(sound(0));
    listener.clear();
    expect(listener.commit()).toBe(false);
  });

  it('gets no events for cleared audio, but for what was committed before', async () => {
    const listener = listen();
    listener.push(sound(1));
    listener.commit();
    listener.push(sound(1));
    listener.clear();
    listener.push(sound(1));
    listener.commit();
    const all = await events(6);
    expect(all.map(({ event, utterance }) => `${event} ${utterance}`)).toEqual([
      'started 1',
      'stopped 1',
      'final 1',
      'started 3',
      'stopped 3',
      'final 3',
    ]);
  });

  it('ends the utterances of a crashed process, and restarts it after a second', async () => {
    const listener = listen();
    listener.push(sound(4));
    listener.commit();
    listener.push(sound(1));
    await events(2);
    listener.push(sound(2));
    listener.commit();
    expect((await events(5)).slice(2)).toEqual([
      { event: 'final', utterance: 1, text: undefined },
      { event: 'stopped', utterance: 2, at: 60 },
      { event: 'final', utterance: 2, text: undefined },
    ]);
    expect(failures).toEqual(['crashed']);
    heard = [];
    listener.push(sound(0));
    listener.commit();
    expect(heard.map(({ event, utterance }) => `${event} ${utterance}`)).toEqual(['stopped 3', 'final 3']);
    clock.advance(1000);
    listener.push(sound(0));
    listener.commit();
    expect((await events(4)).slice(2)).toEqual([
      { event: 'stopped', utterance: 4, at: 1 },
      { event: 'final', utterance: 4, text: '1920+480' },
    ]);
  });

  it('kills a process that hangs', async () => {
    running = processWith({ silence: 1500, idle: 30_000 });
    const listener = listen();
    listener.push(sound(1));
    await events(1);
    listener.push(sound(3));
    expect((await events(3)).slice(1)).toEqual([
      { event: 'stopped', utterance: 1, at: 40 },
      { event: 'final', utterance: 1, text: undefined },
    ]);
  });

  it('gets no events once it is closed', async () => {
    const [closed, other] = [listen(), listen()];
    closed.push(sound(1));
    closed.close();
    closed.push(sound(1));
    expect(closed.commit()).toBe(false);
    other.push(sound(0));
    other.commit();
    expect((await events(2)).map(({ event }) => event)).toEqual(['stopped', 'final']);
  });
});
