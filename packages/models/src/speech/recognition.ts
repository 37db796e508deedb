import {
  mediaProgram,
  type TranscriptionOptions,
  SpeechBusyError,
  SpeechError,
  type ProcessStreamEvent,
  ProcessStream,
  RecognitionError,
  type RecognitionFailure,
  RecognitionWorkerClient,
  type RecognitionModel,
} from 'avatar-chat-media';
import { type Clock, FairQueue, FairShare, type LoggerOf, type MayStart, type PartLogger } from 'avatar-chat-runtime';
import type { TranscribeRequest } from './transcriber.js';

/** Recordings that may be queued or in progress. Beyond it, the newest of the owner with the most is rejected. */
const QUEUE_LIMIT = 16;
/** How many are in memory and decoded in turns: of those, one of each user, and at most some of each address. */
const AT_ONCE = 8;
const AT_ONCE_PER_ADDRESS = 6;
/** Delay in milliseconds before a model that could not be used is tried again. */
const RETRY_MS = 60_000;

type Recorded = Pick<TranscribeRequest, 'audio' | 'signal' | 'holders' | 'onHeard'>;

const mayStart: MayStart = ([user, address = 0]) => user === 0 && address < AT_ONCE_PER_ADDRESS;

const WARNINGS = {
  'packages absent': 'the optional packages for speech recognition are not installed',
  'unusable model': 'sherpa-onnx cannot use the model',
} as const;

/** Transcribes recordings of this process offline: one queue for all models, and a child process for each model. */
export class Recognition {
  private readonly logger: PartLogger;
  private readonly file = mediaProgram('recognition/recognition.worker.js');
  private readonly processes = new Map<string, RecognitionWorkerClient>();
  private readonly unusableUntil = new Map<string, number>();
  private readonly warned = new Map<string, string>();
  private readonly share = new FairShare(QUEUE_LIMIT);
  private readonly turns = new FairQueue(AT_ONCE, QUEUE_LIMIT);

  constructor(
    private readonly clock: Clock,
    loggerOf: LoggerOf,
  ) {
    this.logger = loggerOf('Speech');
  }

  /**
   * @param name of the model, for the log
   * @returns undefined if there are no words, or the model cannot be used, in which case the reason is logged
   * @throws SpeechBusyError if the queue is full, or becomes so while its owner has the most, or the process crashed or cannot be started
   * @throws SpeechError
   */
  async transcribe(
    name: string,
    model: RecognitionModel,
    { audio, signal, holders, onHeard }: Recorded,
  ): Promise<string | undefined> {
    if ((this.unusableUntil.get(name) ?? 0) > this.clock.monotonic()) return undefined;
    const leaving = new AbortController();
    const release = this.share.acquire(holders, () => leaving.abort());
    if (!release) throw new SpeechBusyError();
    const either = AbortSignal.any([signal, leaving.signal]);
    try {
      const text = await this.transcribeInTurn(model, { audio, signal: either, holders, onHeard });
      if (leaving.signal.aborted) throw new SpeechBusyError();
      if (signal.aborted) throw new SpeechError('The transcription took too long.');
      this.warned.delete(name);
      return text || undefined;
    } catch (error) {
      if (!(error instanceof RecognitionError)) throw error;
      if (error.failure === 'crashed')
        throw new SpeechBusyError('Speech recognition has crashed; it is started again.');
      this.leave(name, error.failure);
      return undefined;
    } finally {
      release();
    }
  }

  /** Takes memory only once it is its turn. @returns undefined also if the signal is aborted */
  private async transcribeInTurn(
    model: RecognitionModel,
    { audio, signal, holders, onHeard }: Recorded,
  ): Promise<string | undefined> {
    const leave = await this.turns.enter(holders, { signal, mayStart }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (!leave) return undefined;
    try {
      const pieces: Uint8Array[] = [];
      for await (const piece of audio) if (pieces.push(piece as Uint8Array) && signal.aborted) break;
      return signal.aborted ? undefined : await this.process(model).transcribe(Buffer.concat(pieces), signal, onHeard);
    } finally {
      leave();
    }
  }

  /** Loads a model ahead of the first recording. @param name of the model, for the log */
  prepare(name: string, model: RecognitionModel): void {
    if (!this.file || (this.unusableUntil.get(name) ?? 0) > this.clock.monotonic()) return;
    this.process(model).prepare();
  }

  /**
   * Opens a stream for live speech.
   *
   * @param name of the model, for the log
   * @returns undefined if the model is known to be unusable
   */
  listen(
    name: string,
    model: RecognitionModel,
    { detection, holders }: TranscriptionOptions,
    report: (heard: ProcessStreamEvent) => void,
  ): ProcessStream | undefined {
    if (!this.file || (this.unusableUntil.get(name) ?? 0) > this.clock.monotonic()) return undefined;
    const onFailure = (failure: RecognitionFailure) => {
      if (failure === 'crashed') this.logger.warn(`Speech recognition has crashed (${name}); it is started again`);
      else this.leave(name, failure);
    };
    return new ProcessStream(this.process(model), detection, this.clock, report, onFailure, holders);
  }

  private leave(name: string, failure: Exclude<RecognitionFailure, 'crashed'>): void {
    this.unusableUntil.set(name, this.clock.monotonic() + RETRY_MS);
    this.warnOnce(name, WARNINGS[failure]);
  }

  /** Logs why a model is not used, and again only if the reason changes. */
  warnOnce(name: string, reason: string): void {
    if (this.warned.get(name) === reason) return;
    this.warned.set(name, reason);
    this.logger.warn(
      `Recordings are not transcribed: ${reason} (${name}); "npm run cli -- speech install" installs what is missing`,
    );
  }

  /** @internal Nest calls it. */
  onApplicationShutdown(): void {
    for (const process of this.processes.values()) process.stop();
  }

  private process(model: RecognitionModel): RecognitionWorkerClient {
    if (!this.file) throw new RecognitionError('packages absent');
    const key = JSON.stringify(model);
    const process = this.processes.get(key) ?? new RecognitionWorkerClient(this.file, model);
    this.processes.set(key, process);
    return process;
  }
}
