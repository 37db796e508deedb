import type { ChildProcess } from 'node:child_process';
import { PACKAGES_ABSENT, startIsolated } from '../processes/isolated.js';
import type { StreamCommand, StreamReport, RecognitionCommand, RecognitionReport } from './recognition.messages.js';
import type { RecognitionModel } from './recognizer.js';

/** Limits in milliseconds; overridden only in tests. */
export interface RecognitionLimits {
  /** Without a sign of life while there is work. A step takes about a second, loading a model two. */
  readonly silence: number;
  /** Idle time after which the process exits, to release its memory. */
  readonly idle: number;
}

const LIMITS: RecognitionLimits = { silence: 30_000, idle: 600_000 };

/**
 * glibc settings: threads share an arena, and free memory is returned, but not so early that each decoding has to
 * allocate it again. The defaults take a third more memory.
 */
const ALLOCATION = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '4194304',
  MALLOC_TRIM_THRESHOLD_: '8388608',
};

/** Why there is no transcript. */
export type RecognitionFailure = 'packages absent' | 'unusable model' | 'crashed';

export class RecognitionError extends Error {
  constructor(readonly failure: RecognitionFailure) {
    super(failure);
  }
}

/** The owner of a stream in the process: it gets the events of one live speaker. */
export interface StreamOwner {
  /** Whether it waits for the process. */
  readonly isWaiting: boolean;
  receive(report: StreamReport): void;
  /** The process has exited, and the stream with it. */
  lose(failure: RecognitionFailure): void;
}

interface Job {
  readonly id: number;
  resolve(text: string | undefined): void;
  reject(error: Error): void;
}

/**
 * A child process that transcribes with one model. It starts with the first recording, and again after a crash. It is a
 * process rather than a thread because native libraries crash their process if a model is not as expected.
 */
export class RecognitionProcess {
  private child?: ChildProcess;
  private ready = false;
  private readonly jobs = new Map<number, Job>();
  private readonly streams = new Map<number, StreamOwner>();
  private lastId = 0;
  private at?: number;
  private timer?: NodeJS.Timeout;

  /** @param file the compiled program */
  constructor(
    private readonly file: URL,
    private readonly model: RecognitionModel,
    private readonly limits = LIMITS,
  ) {}

  /** Starts it ahead of the first recording, including what recordings need. */
  prepare(): void {
    if (this.child) return;
    // A failed start is reported with the next recording.
    void this.transcribe(new Uint8Array(), new AbortController().signal).catch(() => undefined);
  }

  /**
   * @returns the transcript of a recording, possibly empty; undefined if the signal was aborted or the process was
   *   stopped
   * @throws RecognitionError
   */
  transcribe(recording: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const id = ++this.lastId;
    const text = new Promise<string | undefined>((resolve, reject) => this.jobs.set(id, { id, resolve, reject }));
    const leave = () => {
      this.settle(id, undefined);
      this.post({ cancel: id });
    };
    signal.addEventListener('abort', leave, { once: true });
    this.post({ id, recording });
    return text.finally(() => signal.removeEventListener('abort', leave));
  }

  /**
   * For live speech. The stream of an owner exists from the command `open` to the command `close` or the exit of the process.
   */
  send(owner: StreamOwner, command: StreamCommand): void {
    if (command.type === 'open') this.streams.set(command.stream, owner);
    if (!this.streams.has(command.stream)) return;
    if (command.type === 'close') this.streams.delete(command.stream);
    this.post(command);
  }

  /** Ends the process; pending calls get undefined. */
  stop(): void {
    this.streams.clear();
    for (const id of this.jobs.keys()) this.settle(id, undefined);
    clearTimeout(this.timer);
    this.child?.kill('SIGKILL');
  }

  private post(command: RecognitionCommand): void {
    const child = (this.child ??= this.start());
    if (!child) return this.fail('crashed');
    child.ref();
    // Send errors mean that the process has exited, which its exit event reports.
    child.send(command, () => undefined);
    this.watch();
  }

  /** @returns undefined if it cannot be started */
  private start(): ChildProcess | undefined {
    try {
      const child = startIsolated(this.file, [JSON.stringify(this.model)], ALLOCATION);
      child.on('message', (report: RecognitionReport) => this.receive(report));
      child.on('exit', (code) => this.ended(child, code));
      return child;
    } catch {
      return undefined;
    }
  }

  private receive(report: RecognitionReport): void {
    if (report === 'ready') this.ready = true;
    else if ('stream' in report) this.streams.get(report.stream)?.receive(report);
    else if ('at' in report) this.at = report.at;
    else this.settle(report.id, report.text);
    this.watch();
  }

  /** Kills a process that hangs, and ends an idle one. Only pending work keeps the service alive. */
  private watch(): void {
    clearTimeout(this.timer);
    const working = this.jobs.size > 0 || [...this.streams.values()].some(({ isWaiting }) => isWaiting);
    const { child } = this;
    this.timer = setTimeout(() => child?.kill('SIGKILL'), working ? this.limits.silence : this.limits.idle);
    if (working) return;
    this.timer.unref();
    child?.unref();
    child?.channel?.unref();
  }

  private ended(child: ChildProcess, code: number | null): void {
    if (child !== this.child) return;
    const { ready, at } = this;
    this.child = this.at = undefined;
    this.ready = false;
    clearTimeout(this.timer);
    // The recording in progress caused the crash; the others can be retried.
    if (ready && at !== undefined) this.settle(at, '');
    this.fail(failureOf(code, ready));
  }

  private fail(failure: RecognitionFailure): void {
    for (const id of this.jobs.keys()) this.settle(id, new RecognitionError(failure));
    const lost = [...this.streams.values()];
    this.streams.clear();
    for (const owner of lost) owner.lose(failure);
  }

  private settle(id: number, result: string | undefined | RecognitionError): void {
    const job = this.jobs.get(id);
    this.jobs.delete(id);
    if (result instanceof RecognitionError) job?.reject(result);
    else job?.resolve(result);
  }
}

function failureOf(code: number | null, ready: boolean): RecognitionFailure {
  if (code === PACKAGES_ABSENT) return 'packages absent';
  return ready ? 'crashed' : 'unusable model';
}
