import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SpeechError } from '../speech.error.js';
import { type SynthesisJob, SynthesisQueue } from './synthesis.queue.js';
import { espeakWorkerClient } from '../espeak/espeak.worker-client.js';

/** A fake thread controlled by its text: a real one cannot be made to hang or crash. */
const OBEDIENT = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ job: { text }, cancelled }) => {
    if (text === 'crash') throw new Error('secret words');
    if (text === 'exit') process.exit(69);
    const until = Date.now() + (text === 'hang' ? 1e9 : text === 'slow' ? 60_000 : 0);
    while (Date.now() < until && !(text === 'slow' && Atomics.load(cancelled, 0)));
    parentPort.postMessage({ seconds: text.length, audio: new Uint8Array(4), content_type: 'audio/mpeg', phonemes: [] });
  });`;

describe('SynthesisQueue', () => {
  let directory: string;
  let thread: SynthesisQueue<SynthesisJob & { text: string }>;
  const say = (text: string, signal = new AbortController().signal, holders?: string[]) =>
    thread.synthesize({ form: 'mp3', text }, signal, holders);

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'speech-'));
    writeFileSync(join(directory, 'worker.mjs'), OBEDIENT);
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  const start = (timeLimit?: number) =>
    (thread = new SynthesisQueue(
      espeakWorkerClient(pathToFileURL(join(directory, 'worker.mjs'))),
      undefined,
      timeLimit,
    ));
  beforeEach(() => start());
  afterEach(() => thread.stop());

  it('returns each result to its caller, in order', async () => {
    const texts = ['a', 'bb', 'ccc', 'dddd'];
    expect(await Promise.all(texts.map((text) => say(text)))).toMatchObject(
      texts.map(({ length }) => ({ seconds: length })),
    );
  });

  it('serves callers in turn', async () => {
    const [one, two] = [new AbortController().signal, new AbortController().signal];
    const order: string[] = [];
    const heard = (text: string, signal: AbortSignal) => say(text, signal).then(() => order.push(text));
    await Promise.all([heard('a1', one), heard('a2', one), heard('a3', one), heard('b1', two), heard('b2', two)]);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('serves users in turn, whatever their signals, and addresses before users', async () => {
    const order: string[] = [];
    const mine = new AbortController().signal;
    const heard = (text: string, holders: string[], signal?: AbortSignal) =>
      say(text, signal, holders).then(() => order.push(text));
    await heard('m1', ['modest'], mine);
    order.length = 0;
    const all = ['a', 'b', 'c', 'd'].map((text) => heard(text, ['greedy']));
    await Promise.all([...all, heard('m2', ['modest'], mine), heard('m3', ['modest'], mine)]);
    expect(order).toEqual(['a', 'm2', 'b', 'm3', 'c', 'd']);
    order.length = 0;
    const here = ['e', 'f', 'g', 'h'].map((user) => heard(user, [user, 'here']));
    await Promise.all([...here, heard('m4', ['modest'], mine), heard('m5', ['modest'], mine)]);
    expect(order).toEqual(['e', 'm4', 'f', 'm5', 'g', 'h']);
  });

  it('gives places in a full queue to whoever has fewer, by user and by address', async () => {
    const settle = (text: string, holders: string[]) =>
      say(text, undefined, holders).catch((error: Error) => error.message);
    for (const holdersOf of [() => ['greedy'], (n: number) => [`user ${n}`, 'here']]) {
      const greedy = Array.from({ length: 65 }, (_, n) => settle('a', holdersOf(n)));
      const modest = settle('bb', ['modest']);
      expect(await greedy.at(-1)).toBe('Too much is to be spoken at once.');
      expect(await modest).toMatchObject({ seconds: 2 });
      await Promise.all(greedy);
    }
  });

  it('cancels a job that nobody waits for, and continues with the next', async () => {
    const abort = new AbortController();
    const [slow, waiting, next] = [say('slow', abort.signal), say('bb', abort.signal), say('ccc')];
    setTimeout(() => abort.abort(), 100);
    expect(await Promise.all([slow, waiting])).toEqual([undefined, undefined]);
    expect(await next).toMatchObject({ seconds: 3 });
    expect(await say('a', AbortSignal.abort())).toBeUndefined();
  });

  it('fails the texts for which the worker cannot be started, and tries to start it for the next', async () => {
    let isPossible = false;
    thread = new SynthesisQueue((...callbacks) => {
      if (!isPossible) throw new Error('there is no memory');
      return espeakWorkerClient<SynthesisJob & { text: string }>(pathToFileURL(join(directory, 'worker.mjs')))(
        ...callbacks,
      );
    });
    thread.prepare();
    for (const failing of [say('a'), say('bb')])
      await expect(failing).rejects.toEqual(new SpeechError('The speech synthesizer could not be started.'));
    isPossible = true;
    expect(await say('ccc')).toMatchObject({ seconds: 3 });
  });

  it('restarts after a crash, and does not reveal its cause', async () => {
    const [crash, next] = [say('crash'), say('bb')];
    await expect(crash).rejects.toThrow(/^The speech could not be processed\.$/);
    expect(await next).toMatchObject({ seconds: 2 });
  });

  it('aborts a job that takes too long, by force if necessary, and continues with the next', async () => {
    start(500);
    const [slow, hang, next] = [say('slow'), say('hang'), say('bb')];
    await expect(slow).rejects.toMatchObject({ code: 'speech_failed' });
    await expect(hang).rejects.toMatchObject({ code: 'speech_failed' });
    let spoken = await next.catch(() => undefined);
    // On a busy machine the thread that replaces the hung one may itself take too long to start.
    while (!spoken) spoken = await say('bb').catch(() => undefined);
    expect(spoken).toMatchObject({ seconds: 2 });
  });

  it('rejects jobs when the queue is full', async () => {
    const all = Array.from({ length: 70 }, () => say('a').catch((error: Error) => error.message));
    const refused = (await Promise.all(all)).filter((result) => result === 'Too much is to be spoken at once.');
    expect(refused).toHaveLength(70 - 65);
    expect(await say('a')).toMatchObject({ seconds: 1 });
  });

  it('detects that packages are not installed', async () => {
    expect(await say('exit')).toBe('absent');
  });

  it('rejects pending callers when it stops', async () => {
    const [slow, waiting] = [say('slow').catch(() => 'failed'), say('bb')];
    await new Promise((resolve) => setTimeout(resolve, 100));
    await thread.stop();
    expect(await Promise.all([slow, waiting])).toEqual(['failed', undefined]);
  });
});
