import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ProcessStreamEvent, ProcessStream } from './process.stream.js';
import { RecognitionWorkerClient } from '../recognition.worker-client.js';

/** A fake program controlled by the level of the audio: a real one cannot be made to hang or crash. */
const OBEDIENT = `
  process.on('disconnect', () => process.exit());
  const streams = new Map();
  process.on('message', ({ stream, type, first, from, sound }) => {
    if (type === 'open') return streams.set(stream, { last: first - 1, commands: [] });
    const state = streams.get(stream);
    const say = (heard) => process.send({ stream, heard });
    if (type === 'commit') {
      const utterance = state.speaks ? state.last : ++state.last;
      state.speaks = false;
      say({ event: 'stopped', utterance, at: 1, committed: true });
      if (state.level !== 4) say({ event: 'final', utterance, text: state.commands.join(' ') });
      state.commands = [];
    } else if (type === 'clear') {
      state.speaks = false;
      process.send({ stream, done: 'clear' });
    } else if (type === 'configure') state.commands.push('configure');
    else if (type === 'push') {
      state.level = sound[0];
      state.commands.push(from + '+' + sound.length);
      if (sound[0] === 1) { state.speaks = true; say({ event: 'started', utterance: ++state.last, at: 0 }); }
      if (sound[0] === 5) say({ event: 'paused', utterance: state.last });
      if (sound[0] === 2) process.exit(134);
      if (sound[0] === 3) return;
      process.send({ stream, done: 'push' });
    }
  });
  process.send('ready');`;

/** A clock that stands still until it is moved. */
class StoppedClock {
  private elapsed = 0;
  monotonic = (): number => this.elapsed;
  advance(milliseconds: number): void {
    this.elapsed += milliseconds;
  }
}

describe('ProcessStream', () => {
  let directory: string;
  let running: RecognitionWorkerClient;
  let clock: StoppedClock;
  let heard: ProcessStreamEvent[];
  let failures: string[];
  let seen: (() => void)[];
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'stream-'));
    writeFileSync(join(directory, 'program.mjs'), OBEDIENT);
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  beforeEach(() => {
    [clock, heard, failures, seen] = [new StoppedClock(), [], [], []];
    running = processWith({ silence: 30_000, idle: 30_000 });
  });
  afterEach(() => running.stop());

  function processWith(limits: { silence: number; idle: number }) {
    const model = { model: { tokens: 'tokens.txt' }, silero: 'silero.onnx' };
    return new RecognitionWorkerClient(pathToFileURL(join(directory, 'program.mjs')), model, limits);
  }
  const listen = () =>
    new ProcessStream(
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
    new Promise<ProcessStreamEvent[]>((resolve) => {
      const look = () => heard.length >= count && resolve(heard);
      seen.push(look);
      look();
    });

  it('sends the process all audio in order, in larger chunks if it is slow', async () => {
    const stream = listen();
    for (let n = 0; n < 200; n++) stream.push(sound(0));
    expect(stream.commit()).toBe(true);
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

  it('takes messages of any length until ten seconds wait, and drops only further ones', async () => {
    const stream = listen();
    const seconds = (count: number) => sound(0, 24_000 * count);
    stream.push(seconds(12));
    stream.push(seconds(30));
    stream.push(seconds(5));
    stream.commit();
    await events(2);
    stream.push(sound(0));
    stream.commit();
    const texts = (await events(4)).flatMap((event) => (event.event === 'final' ? [event.text!] : []));
    expect(texts[0]!.split(' ').map((piece) => piece.split('+').map(Number))).toEqual(
      Array.from({ length: 42 }, (_, second) => [24_000 * second, 24_000]),
    );
    expect(texts[1]).toBe(`${24_000 * 47}+480`);
  });

  it('commits only existing audio', async () => {
    const stream = listen();
    expect(stream.commit()).toBe(false);
    stream.push(sound(0));
    expect(stream.commit()).toBe(true);
    expect(stream.commit()).toBe(false);
    expect(await events(2)).toEqual([
      { event: 'stopped', utterance: 1, at: 1 },
      { event: 'final', utterance: 1, text: '0+480' },
    ]);
    stream.push(sound(0));
    stream.clear();
    expect(stream.commit()).toBe(false);
  });

  it('reports pauses of an utterance, which goes on', async () => {
    const stream = listen();
    stream.push(sound(1));
    stream.push(sound(5));
    await events(2);
    stream.commit();
    expect((await events(4)).map(({ event }) => event)).toEqual(['started', 'paused', 'stopped', 'final']);
  });

  it('gets no events for cleared audio, but for what was committed before', async () => {
    const stream = listen();
    stream.push(sound(1));
    stream.commit();
    stream.push(sound(1));
    stream.clear();
    stream.push(sound(1));
    stream.commit();
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
    const stream = listen();
    stream.push(sound(4));
    stream.commit();
    stream.push(sound(1));
    await events(2);
    stream.push(sound(2));
    stream.commit();
    expect((await events(5)).slice(2)).toEqual([
      { event: 'final', utterance: 1, text: undefined },
      { event: 'stopped', utterance: 2, at: 60 },
      { event: 'final', utterance: 2, text: undefined },
    ]);
    expect(failures).toEqual(['crashed']);
    heard = [];
    stream.push(sound(0));
    stream.commit();
    expect(heard.map(({ event, utterance }) => `${event} ${utterance}`)).toEqual(['stopped 3', 'final 3']);
    clock.advance(1000);
    stream.push(sound(0));
    stream.commit();
    expect((await events(4)).slice(2)).toEqual([
      { event: 'stopped', utterance: 4, at: 1 },
      { event: 'final', utterance: 4, text: '1920+480' },
    ]);
  });

  it('kills a process that hangs', async () => {
    running = processWith({ silence: 1500, idle: 30_000 });
    const stream = listen();
    stream.push(sound(1));
    await events(1);
    stream.push(sound(3));
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
