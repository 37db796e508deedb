import childProcess, { type ChildProcess, type ForkOptions } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  RecognitionError,
  type RecognitionLimits,
  RecognitionWorkerClient,
} from '../src/recognition/recognition.worker-client.js';

type Fork = (file: URL, args: string[], options: ForkOptions) => ChildProcess;
const { fork, spawn } = childProcess;
/** The ways in which Node reports that there is no process; those without one emit `error` later. */
const FAILURES: [string, Fork][] = [
  ['too many processes', (file, args, options) => fork(file, args, { ...options, execPath: '/there/is/none' })],
  ['too many files, so that there is no channel', () => spawn('/there/is/none', { stdio: 'ignore' })],
  [
    'too little memory',
    () => {
      throw new Error('spawn ENOMEM');
    },
  ],
];

/** A fake program controlled by the content of the recording: a real one cannot be made to hang or crash. */
const OBEDIENT = `
  const model = JSON.parse(process.argv[2]);
  if (model.silero === 'absent') process.exit(69);
  if (model.silero === 'unusable') process.exit(255);
  process.on('disconnect', () => process.exit());
  const cancelled = new Set();
  process.on('message', ({ id, recording, cancel, stream }) => {
    if (stream) return process.send({ stream, done: 'push' });
    if (cancel) return cancelled.add(cancel);
    const words = Buffer.from(recording).toString();
    process.send({ at: id });
    if (words === 'crash') process.exit(134);
    if (words === 'hang') return;
    if (words === 'large') {
      globalThis.large = Buffer.alloc(200 * 2 ** 20, 1);
      return;
    }
    setTimeout(() => process.send({ id, seconds: 1.5, text: words + ' ' + Object.keys(process.env).filter((name) => !name.startsWith('MALLOC_')).length }), words === 'slow' ? 300 : 0);
  });
  process.send('ready');`;

describe('RecognitionWorkerClient', () => {
  let directory: string;
  let running: RecognitionWorkerClient | undefined;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'recognition-'));
    writeFileSync(join(directory, 'program.mjs'), OBEDIENT);
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  afterEach(() => {
    jest.restoreAllMocks();
    running?.stop();
  });

  const start = (silero = 'silero.onnx', limits: Partial<RecognitionLimits> = {}) =>
    (running = new RecognitionWorkerClient(
      pathToFileURL(join(directory, 'program.mjs')),
      { model: { tokens: 'tokens.txt' }, silero },
      limits,
    ));
  const say = (words: string, signal = new AbortController().signal) => running!.transcribe(Buffer.from(words), signal);

  it("returns each recording's transcript, and passes nothing of the environment on", async () => {
    start();
    expect(await Promise.all(['slow', 'b', 'c'].map((words) => say(words)))).toEqual(['slow 0', 'b 0', 'c 0']);
  });

  it('tells how long a recording is', async () => {
    const onHeard = jest.fn();
    await start().transcribe(Buffer.from('a'), new AbortController().signal, onHeard);
    expect(onHeard.mock.calls).toEqual([[1.5]]);
  });

  it('starts ahead of the first recording, and tolerates that it cannot', async () => {
    start().prepare();
    running!.prepare();
    expect(await say('a')).toBe('a 0');
    start('absent').prepare();
    await expect(say('a')).rejects.toMatchObject({ failure: 'packages absent' });
  });

  it('fails only the recording in progress at a crash, and serves the next', async () => {
    start();
    expect(await say('a')).toBe('a 0');
    expect(await say('crash')).toBe('');
    expect(await say('b')).toBe('b 0');
  });

  it('fails queued recordings at a crash with an error that allows a retry', async () => {
    start();
    const [waiting, crashing] = [say('slow'), say('crash')];
    await expect(waiting).rejects.toEqual(new RecognitionError('crashed'));
    expect(await crashing).toBe('');
  });

  it.each([
    ['absent', 'packages absent'],
    ['unusable', 'unusable model'],
  ])('reports why it cannot start: %s', async (silero, failure) => {
    start(silero);
    await expect(say('a')).rejects.toMatchObject({ failure });
  });

  it.each(FAILURES)('starts again for the next recording if a start failed: %s', async (_name, fail) => {
    const failOnce = () => jest.spyOn(childProcess, 'fork').mockImplementationOnce(fail as never);
    start();
    failOnce();
    await expect(say('a')).rejects.toEqual(new RecognitionError('crashed'));
    expect(await say('b')).toBe('b 0');
    running!.stop();
    start();
    failOnce();
    const failure = new Promise<string>((resolve) =>
      running!.send(
        { isWaiting: true, receive: () => undefined, handleExit: resolve },
        { stream: 1, type: 'open', from: 0, first: 1, holders: ['somebody'] },
      ),
    );
    expect(await failure).toBe('crashed');
    expect(await say('c')).toBe('c 0');
  });

  it('is killed if it hangs', async () => {
    start(undefined, { silence: 4000 });
    expect(await say('hang')).toBe('');
    expect(await say('b')).toBe('b 0');
  });

  it('is killed if it hangs at a recording, whatever live speakers send and receive', async () => {
    start(undefined, { silence: 4000 });
    const lost: string[] = [];
    const speaker = {
      isWaiting: true,
      receive: () => undefined,
      handleExit: (failure: string) => void lost.push(failure),
    };
    running!.send(speaker, { stream: 1, type: 'open', from: 0, first: 1, holders: ['somebody'] });
    const speaking = setInterval(() => running!.send(speaker, { stream: 1, type: 'commit' }), 50);
    const heard = await say('hang').finally(() => clearInterval(speaking));
    expect([heard, lost]).toEqual(['', ['crashed']]);
    expect(await say('b')).toBe('b 0');
  });

  it('is killed if it hangs at a recording that nobody waits for any more', async () => {
    start(undefined, { silence: 4000 });
    expect(await say('a')).toBe('a 0');
    expect(await say('hang', AbortSignal.timeout(100))).toBeUndefined();
    // The recordings that follow are reported to be in progress, and the one that hangs never is.
    const died = new Promise((resolve) =>
      running!.send(
        { isWaiting: false, receive: () => undefined, handleExit: resolve },
        { stream: 1, type: 'open', from: 0, first: 1, holders: ['somebody'] },
      ),
    );
    expect(await died).toBe('crashed');
  });

  // Only Linux tells how much memory a process takes.
  it.each([process.platform === 'linux' ? 'large' : 'crash'])(
    'starts again if it takes too much memory: %s',
    async (words) => {
      start(undefined, { memory: 150 * 2 ** 20 });
      expect(await say(words)).toBe('');
      expect(await say('b')).toBe('b 0');
    },
  );

  it('drops a recording when nobody waits for it any more', async () => {
    start();
    const abort = new AbortController();
    const hanging = say('hang', abort.signal);
    abort.abort();
    expect(await hanging).toBeUndefined();
    expect(await say('a', AbortSignal.abort())).toBeUndefined();
    expect(await say('b')).toBe('b 0');
  });

  it('exits when it is idle, and starts again', async () => {
    start(undefined, { idle: 50 });
    expect(await say('a')).toBe('a 0');
    await new Promise((done) => setTimeout(done, 300));
    expect(await say('b')).toBe('b 0');
  });
});
