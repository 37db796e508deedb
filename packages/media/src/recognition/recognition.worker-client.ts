import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { limitMemory, PACKAGES_ABSENT, startIsolated } from 'avatar-chat-runtime/processes';
import type { StreamCommand, StreamReport, RecognitionCommand, RecognitionReport } from './recognition.messages.js';
import type { RecognitionModel } from './recognizer.js';

/** Limits of the process; overridden only in tests. */
export interface RecognitionLimits {
  /** Milliseconds without a sign of life while there is work. A step takes about a second, loading a model two. */
  readonly silence: number;
  /** Idle time in milliseconds after which the process exits, to release its memory. */
  readonly idle: number;
  /** Resident memory in bytes. */
  readonly memory: number;
}

const LIMITS: Omit<RecognitionLimits, 'memory'> = { silence: 30_000, idle: 600_000 };

/** Limits of resident memory in bytes: with a small model, and with a larger one, besides its files. */
const MEMORY = 450 * 2 ** 20;
const MEMORY_BESIDES = 300 * 2 ** 20;

/** What is watched separately: one may make progress while the other hangs. */
type Work = 'recordings' | 'streams';

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
  handleExit(failure: RecognitionFailure): void;
}

interface Job {
  onHeard?: ((seconds: number, language?: string) => void) | undefined;
  resolve(text: string | undefined): void;
  reject(error: Error): void;
}

/**
 * A child process that transcribes with one model. It starts with the first recording, and again after a crash. It is a
 * process rather than a thread because native libraries crash their process if a model is not as expected.
 */
export class RecognitionWorkerClient {
  private child?: ChildProcess;
  private ready = false;
  private readonly jobs = new Map<number, Job>();
  private readonly streams = new Map<number, StreamOwner>();
  private lastId = 0;
  private at?: number;
  private readonly watchdogs = new Map<Work, NodeJS.Timeout>();
  private idle?: NodeJS.Timeout;
  private unlimit?: () => void;
  private readonly limits: RecognitionLimits;

  /** @param file the compiled program */
  constructor(
    private readonly file: URL,
    private readonly model: RecognitionModel,
    limits: Partial<RecognitionLimits> = {},
  ) {
    this.limits = { ...LIMITS, memory: memoryFor(model), ...limits };
  }

  /** Starts it ahead of the first recording, including what recordings need. */
  prepare(): void {
    if (this.child) return;
    // A failed start is reported with the next recording.
    void this.transcribe(new Uint8Array(), new AbortController().signal).catch(() => undefined);
  }

  /**
   * @param onHeard is called with the length of what was recognized, even if it has no words, and the language that the model chose
   * @returns the transcript of a recording, possibly empty; undefined if the signal was aborted or the process was
   *   stopped
   * @throws RecognitionError
   */
  transcribe(recording: Uint8Array, signal: AbortSignal, onHeard?: Job['onHeard']): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const id = ++this.lastId;
    const text = new Promise<string | undefined>((resolve, reject) => this.jobs.set(id, { resolve, reject, onHeard }));
    const onAbort = () => {
      // It is watched until its step has ended.
      this.jobs.get(id)?.resolve(undefined);
      this.post({ cancel: id });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.post({ id, recording });
    return text.finally(() => signal.removeEventListener('abort', onAbort));
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
    for (const id of this.jobs.keys()) this.settleJob(id, undefined);
    this.unwatch();
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
    else {
      if (report.seconds) this.jobs.get(report.id)?.onHeard?.(report.seconds, report.language);
      this.settleJob(report.id, report.text);
    }
    if (report === 'ready') this.clearWatchdogs();
    else this.clearWatchdogs('stream' in report ? 'streams' : 'recordings');
    this.watch();
  }

  private clearWatchdogs(...works: Work[]): void {
    for (const work of works.length > 0 ? works : this.watchdogs.keys()) {
      clearTimeout(this.watchdogs.get(work));
      this.watchdogs.delete(work);
    }
  }

  /**
   * Kills a process that hangs or takes too much memory, and ends an idle one. What is sent to it is no sign of life. Only
   * pending work keeps the service alive.
   */
  private watch(): void {
    const { child } = this;
    const kill = () => child?.kill('SIGKILL');
    const pending: Record<Work, boolean> = {
      recordings: this.jobs.size > 0,
      streams: [...this.streams.values()].some(({ isWaiting }) => isWaiting),
    };
    for (const work of ['recordings', 'streams'] as const) {
      if (!pending[work]) this.clearWatchdogs(work);
      else if (!this.watchdogs.has(work)) this.watchdogs.set(work, setTimeout(kill, this.limits.silence));
    }
    clearTimeout(this.idle);
    if (pending.recordings || pending.streams) {
      this.unlimit ??= child && limitMemory(child, this.limits.memory);
      return;
    }
    this.removeLimit();
    this.idle = setTimeout(kill, this.limits.idle).unref();
    child?.unref();
    child?.channel?.unref();
  }

  private unwatch(): void {
    this.clearWatchdogs();
    clearTimeout(this.idle);
    this.removeLimit();
  }

  private removeLimit(): void {
    this.unlimit?.();
    this.unlimit = undefined;
  }

  private ended(child: ChildProcess, code: number | null): void {
    if (child !== this.child) return;
    const { ready, at } = this;
    this.child = this.at = undefined;
    this.ready = false;
    this.unwatch();
    // The recording in progress caused the crash; the others can be retried.
    if (ready && at !== undefined) this.settleJob(at, '');
    this.fail(failureOf(code, ready));
  }

  private fail(failure: RecognitionFailure): void {
    for (const id of this.jobs.keys()) this.settleJob(id, new RecognitionError(failure));
    const lost = [...this.streams.values()];
    this.streams.clear();
    for (const owner of lost) owner.handleExit(failure);
  }

  private settleJob(id: number, result: string | undefined | RecognitionError): void {
    const job = this.jobs.get(id);
    this.jobs.delete(id);
    if (result instanceof RecognitionError) job?.reject(result);
    else job?.resolve(result);
  }
}

/** With a small model at most 450 MiB; others take up to three times the size of their files. */
function memoryFor({ model, silero }: RecognitionModel): number {
  const files = [
    silero,
    ...Object.values(model ?? {}).flatMap((part) => (typeof part === 'object' ? Object.values(part as object) : part)),
  ];
  const bytes = files.reduce((sum: number, file) => sum + (typeof file === 'string' ? sizeOf(file) : 0), 0);
  return Math.max(MEMORY, MEMORY_BESIDES + 3 * bytes);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function failureOf(code: number | null, ready: boolean): RecognitionFailure {
  if (code === PACKAGES_ABSENT) return 'packages absent';
  return ready ? 'crashed' : 'unusable model';
}
