import type {
  TranscriptionEvent,
  TranscriptionStream,
  TranscriptionOptions,
  TurnDetection,
} from './transcription.stream.js';
import { joinedIn } from '../../audio/samples.js';
import { LIVE_RATE } from '../../audio/speech.samples.js';
import type { SpeechEvent } from './speech.stream.js';
import type { StreamCommand, StreamReport } from '../recognition.messages.js';
import type { StreamOwner, RecognitionFailure, RecognitionWorkerClient } from '../recognition.worker-client.js';

/** While so many samples are buffered for the process, further messages are dropped. A message may be longer. */
const WAITING_LIMIT = 10 * LIVE_RATE;
/** Samples, and messages, that are sent to the process at once, so that speakers take turns. */
const PIECE = LIVE_RATE;
const IN_FLIGHT_LIMIT = 4;
/** Delay in milliseconds before a process is restarted that has crashed, or that could not use the model. */
const AGAIN_MS: Readonly<Record<RecognitionFailure, number>> = {
  crashed: 1000,
  'packages absent': 60_000,
  'unusable model': 60_000,
};

/** Events, and the audio of whole utterances if requested. */
export type ProcessStreamEvent = TranscriptionEvent | { utterance: number; event: 'sound'; sound: Float32Array };
type Waiting =
  | { sound: Int16Array[]; length: number; from: number }
  | Exclude<StreamCommand['type'], 'open' | 'push' | 'close'>;

let lastStream = 0;

/** A stream that uses the recognition process. */
export class ProcessStream implements TranscriptionStream, StreamOwner {
  private readonly stream = ++lastStream;
  private waiting: Waiting[] = [];
  private waitingSamples = 0;
  /** Messages with audio that the process has not yet acknowledged. */
  private inFlight = 0;
  private isOpen = false;
  private isClosed = false;
  private startsAt = 0;
  /** Samples in all, and those that belong to no utterance yet. */
  private position = 0;
  private fresh = 0;
  private last = 0;
  /** Utterances in progress, each with its last event. */
  private readonly running = new Map<number, 'started' | 'stopped'>();
  /** Commands that the process has not acknowledged yet: its events are from before the first of them. */
  private unacknowledged: ('commit' | 'clear')[] = [];

  constructor(
    private readonly process: RecognitionWorkerClient,
    private detection: TurnDetection | undefined,
    private readonly clock: { monotonic(): number },
    private readonly report: (heard: ProcessStreamEvent) => void,
    private readonly onFailure: (failure: RecognitionFailure) => void = () => undefined,
    private readonly holders?: readonly string[],
  ) {
    this.flush();
  }

  get isWaiting(): boolean {
    return this.inFlight + this.unacknowledged.length > 0 || [...this.running.values()].includes('stopped');
  }

  push(samples: Int16Array): void {
    const from = this.position;
    this.position += samples.length;
    this.fresh += samples.length;
    if (this.isClosed || this.waitingSamples >= WAITING_LIMIT) return;
    for (let at = 0; at < samples.length; at += PIECE) this.bufferSamples(samples.slice(at, at + PIECE), from + at);
    this.flush();
  }

  configure({ detection }: Pick<TranscriptionOptions, 'detection'>): void {
    this.detection = detection;
    this.enqueue('configure');
  }

  commit(): boolean {
    const isSpeaking = this.unacknowledged.length === 0 && [...this.running.values()].includes('started');
    if (this.isClosed || (this.fresh === 0 && !isSpeaking)) return false;
    this.fresh = 0;
    this.unacknowledged.push('commit');
    this.enqueue('commit');
    return true;
  }

  clear(): void {
    this.fresh = 0;
    this.unacknowledged.push('clear');
    this.enqueue('clear');
  }

  close(): void {
    this.isClosed = true;
    [this.waiting, this.waitingSamples] = [[], 0];
    if (this.isOpen) this.process.send(this, { stream: this.stream, type: 'close' });
  }

  /** @internal */
  receive(report: StreamReport): void {
    if (this.isClosed) return;
    if ('heard' in report) this.reportHeard(report.heard);
    else if (report.done === 'push') this.inFlight--;
    else {
      this.unacknowledged.shift();
      for (const [utterance, event] of this.running) if (event === 'started') this.running.delete(utterance);
    }
    this.flush();
  }

  /** @internal */
  handleExit(failure: RecognitionFailure): void {
    if (this.isClosed) return;
    this.isOpen = false;
    this.inFlight = 0;
    this.startsAt = this.clock.monotonic() + AGAIN_MS[failure];
    this.onFailure(failure);
    const running = [...this.running];
    this.running.clear();
    for (const [utterance, event] of running) this.failUtterance(utterance, event);
    // The first commit has already ended the current utterance.
    if (this.unacknowledged[0] === 'commit' && running.some(([, event]) => event === 'started'))
      this.unacknowledged.shift();
    this.dropBuffer();
  }

  /** The buffer is lost; each commit still gets a result. */
  private dropBuffer(): void {
    const commits = this.unacknowledged.filter((one) => one === 'commit');
    [this.unacknowledged, this.waiting, this.waitingSamples] = [[], [], 0];
    for (const _ of commits) this.failUtterance(++this.last, 'started');
  }

  /** @param event the last one of the utterance, which gets no transcript */
  private failUtterance(utterance: number, event: 'started' | 'stopped'): void {
    if (event === 'started') this.report({ event: 'stopped', utterance, at: this.at });
    this.report({ event: 'final', utterance, text: undefined });
  }

  private get at(): number {
    return Math.round((1000 * this.position) / LIVE_RATE);
  }

  private bufferSamples(sound: Int16Array, from: number): void {
    this.waitingSamples += sound.length;
    const last = this.waiting.at(-1);
    if (typeof last === 'object' && last.from + last.length === from && last.length + sound.length <= PIECE) {
      last.sound.push(sound);
      last.length += sound.length;
    } else this.waiting.push({ sound: [sound], length: sound.length, from });
  }

  private enqueue(command: Exclude<Waiting, object>): void {
    if (this.isClosed) return;
    this.waiting.push(command);
    this.flush();
  }

  private flush(): void {
    if (this.isClosed || !this.mayStart()) return;
    if (!this.isOpen) {
      this.isOpen = true;
      const next = this.waiting.find((one) => typeof one === 'object');
      this.send({
        type: 'open',
        detection: this.detection,
        from: next?.from ?? this.position,
        first: this.last + 1,
        holders: this.holders ?? [`stream ${this.stream}`],
      });
    }
    while (this.isOpen && this.waiting.length > 0 && this.inFlight < IN_FLIGHT_LIMIT) {
      const next = this.waiting.shift()!;
      if (next === 'configure') this.send({ type: next, detection: this.detection });
      else if (typeof next === 'string') this.send({ type: next });
      else {
        this.inFlight++;
        this.waitingSamples -= next.length;
        this.send({ type: 'push', sound: joinedIn(new Int16Array(next.length), next.sound), from: next.from });
      }
    }
  }

  /** The buffer is lost if the process may not be restarted yet. */
  private mayStart(): boolean {
    if (this.isOpen || this.clock.monotonic() >= this.startsAt) return true;
    this.dropBuffer();
    return false;
  }

  private send(
    command: StreamCommand extends infer O ? (O extends StreamCommand ? Omit<O, 'stream'> : never) : never,
  ): void {
    this.process.send(this, { stream: this.stream, ...command } as StreamCommand);
  }

  private reportHeard(heard: SpeechEvent): void {
    const { utterance, event } = heard;
    const isCommitted = event === 'stopped' && heard.committed;
    if (isCommitted) this.unacknowledged.shift();
    const begins = utterance > this.last && (event === 'started' || isCommitted);
    this.last = Math.max(this.last, utterance);
    // A cleared utterance has ended, though the process may not know it yet.
    const isForgotten = this.unacknowledged[0] === 'clear' && !isCommitted && this.running.get(utterance) !== 'stopped';
    if (isForgotten || !(begins || this.running.has(utterance))) return;
    if (event === 'stopped' && !isCommitted) this.fresh = 0;
    if (event === 'final') this.running.delete(utterance);
    else if (event === 'started' || event === 'stopped') this.running.set(utterance, event);
    if (event === 'stopped') this.report({ event, utterance, at: heard.at });
    else if (event !== 'final') this.report(heard);
    else if ('sound' in heard) this.report({ event: 'sound', utterance, sound: heard.sound });
    else this.report({ event, utterance, text: heard.text, language: heard.language });
  }
}
