import childProcess from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { TestClock } from '../../../../src/testing/test-clock.js';
import { SpeechBusyError, SpeechError } from 'avatar-chat-media';
import { Recognition } from './recognition.js';

const quietly = () => ({ warn: () => undefined, error: () => undefined });
const MODEL = { model: { tokens: 'there-is-none.txt' }, silero: 'there-is-none.onnx' };

describe('Recognition', () => {
  let recognition: Recognition;
  let clock: TestClock;
  beforeEach(() => {
    clock = new TestClock();
    recognition = new Recognition(clock, quietly);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    recognition.onApplicationShutdown();
  });
  let recordings = 0;
  const transcribe = (audio: Readable, signal = new AbortController().signal) =>
    recognition.transcribe('a model', MODEL, { audio, signal, holders: [`somebody ${++recordings}`] });

  it('rejects recordings while the queue is full', async () => {
    const abort = new AbortController();
    const uploads = Array.from({ length: 16 }, () => new PassThrough());
    const waiting = uploads.map((upload) => transcribe(upload, abort.signal));
    await expect(transcribe(Readable.from([]))).rejects.toBeInstanceOf(SpeechBusyError);
    abort.abort();
    for (const upload of uploads) upload.end('x');
    for (const one of waiting) await expect(one).rejects.toEqual(new SpeechError('The transcription took too long.'));
    expect(await transcribe(Readable.from([]))).toBeUndefined();
  });

  it('gives places in a full queue, and turns, to whoever has fewer', async () => {
    const abort = new AbortController();
    const { signal } = abort;
    const send = (audio: Readable, user: string) =>
      recognition.transcribe('a model', MODEL, { audio, signal, holders: [user] });
    const uploads = Array.from({ length: 16 }, () => new PassThrough());
    const modest = new PassThrough();
    for (const upload of [...uploads, modest]) upload.write('x');
    const read = () => uploads.filter(({ readableDidRead }) => readableDidRead);
    const greedy = uploads.map((upload) => send(upload, 'greedy').catch((error: unknown) => error));
    const words = send(modest, 'modest').catch((error: unknown) => error);
    expect(await greedy.at(-1)).toBeInstanceOf(SpeechBusyError);
    await new Promise(setImmediate);
    expect([read().length, modest.readableDidRead]).toEqual([1, true]);
    await expect(send(Readable.from([]), 'greedy')).rejects.toBeInstanceOf(SpeechBusyError);
    abort.abort();
    for (const upload of [...uploads, modest]) upload.end('x');
    for (const one of [...greedy.slice(0, -1), words])
      expect(await one).toEqual(new SpeechError('The transcription took too long.'));
    expect(read().length).toBe(1);
  });

  it("fails if the recording's source fails", async () => {
    const broken = new PassThrough();
    broken.destroy(new RangeError('the file is gone'));
    await expect(transcribe(broken)).rejects.toThrow('the file is gone');
  });

  it('allows a retry if the process cannot be started, and says so', async () => {
    jest.spyOn(childProcess, 'fork').mockImplementationOnce(() => {
      throw new Error('spawn ENOMEM');
    });
    const failing = transcribe(Readable.from([Buffer.from('RIFF')]));
    const reason = 'Speech recognition has crashed; it is started again.';
    await expect(failing).rejects.toEqual(new SpeechBusyError(reason));
    const read = Readable.from([Buffer.from('RIFF')]);
    expect(await transcribe(read)).toBeUndefined();
    expect(read.readableDidRead).toBe(true);
  });

  it('has no transcript if the model cannot be used, and tries it again after a minute', async () => {
    expect(await transcribe(Readable.from([Buffer.from('RIFF')]))).toBeUndefined();
    const unread = Readable.from([Buffer.from('RIFF')]);
    expect(await transcribe(unread)).toBeUndefined();
    expect(unread.readableDidRead).toBe(false);
    clock.advance(60_000);
    clock.set(-3_600_000);
    const read = Readable.from([Buffer.from('RIFF')]);
    expect(await transcribe(read)).toBeUndefined();
    expect(read.readableDidRead).toBe(true);
  });
});
