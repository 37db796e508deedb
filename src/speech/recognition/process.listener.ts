import type { Clock } from '../../platform/config/index.js';
import type { Heard, Listener, ListenOptions, TurnDetection } from '../listener.js';
import { LIVE_RATE } from '../sound.js';
import type { EarEvent } from './ear.js';
import type { EarOrder, EarReport } from './recognition.messages.js';
import type { EarOwner, RecognitionFailure, RecognitionProcess } from './recognition.process.js';

/** Samples that may be buffered for the process; more are dropped. */
const WAITING_LIMIT = 10 * LIVE_RATE;
/** Samples, and messages, that are sent to the process at once, so that speakers take turns. */
const PIECE = LIVE_RATE;
const UNDERWAY_LIMIT = 4;
/** Delay in milliseconds before a process is restarted that has crashed, or that could not use the model. */
const AGAIN_MS: Readonly<Record<RecognitionFailure, number>> = {
  crashed: 1000,
  'packages absent': 60_000,
  'unusable model': 60_000,
};

/** Events, and the audio of whole utterances if requested. */
export type HeardSound = Heard | { utterance: number; event: 'sound'; sound: Float32Array };
type Waiting =
  | { sound: Int16Array[]; length: number; from: number }
  | Exclude<EarOrder['order'], 'open' | 'hear' | 'close'>;

let lastEar = 0;

/** A listener that uses the recognition process. */
export class ProcessListener implements Listener, EarOwner {
  private readonly ear = ++lastEar;
  private waiting: Waiting[] = [];
  private waitingSamples = 0;
  /** Messages with audio that the process has not yet acknowledged. */
  private underway = 0;
  private isOpen = false;
  private isClosed = false;
  private startsAt = 0;
  /** Samples in all, and those that belong to no utterance yet. */
  private position = 0;
  private fresh = 0;
  private last = 0;
  /** Utterances in progress, each with its last event. */
  private readonly running = new Map<number, 'started' | 'stopped'>();
  /** Orders that the process has not acknowledged yet: its events are from before the first of them. */
  private asked: ('commit' | 'clear')[] = [];

  constructor(
    private readonly process: RecognitionProcess,
    private detection: TurnDetection | undefined,
    private readonly clock: Clock,
    private readonly report: (heard: HeardSound) => void,
    private readonly onFailure: (failure: RecognitionFailure) => void = () => undefined,
  ) {
    this.flush();
  }

  get isWaiting(): boolean {
    return this.underway + this.asked.length > 0 || [...this.running.values()].includes('stopped');
  }

  push(samples: Int16Array): void {
    const from = this.position;
    this.position += samples.length;
    this.fresh += samples.length;
    if (this.isClosed || this.waitingSamples + samples.length > WAITING_LIMIT) return;
    for (let at = 0; at < samples.length; at += PIECE) this.wait(samples.slice(at, at + PIECE), from + at);
    this.flush();
  }

  configure({ detection }: Pick<ListenOptions, 'detection'>): void {
    this.detection = detection;
    this.order('configure');
  }

  commit(): boolean {
    const isSpeaking = this.asked.length === 0 && [...this.running.values()].includes('started');
    if (this.isClosed || (this.fresh === 0 && !isSpeaking)) return false;
    this.fresh = 0;
    this.asked.push('commit');
    this.order('commit');
    return true;
  }

  clear(): void {
    this.fresh = 0;
    this.asked.push('clear');
    this.order('clear');
  }

  close(): void {
    this.isClosed = true;
    [this.waiting, this.waitingSamples] = [[], 0];
    if (this.isOpen) this.process.obey(this, { ear: this.ear, order: 'close' });
  }

  /** @internal */
  hear(report: EarReport): void {
    if (this.isClosed) return;
    if ('heard' in report) this.pass(report.heard);
    else if (report.done === 'hear') this.underway--;
    else this.cleared();
    this.flush();
  }

  private cleared(): void {
    this.asked.shift();
    for (const [utterance, event] of this.running) if (event === 'started') this.running.delete(utterance);
  }

  /** @internal */
  lose(failure: RecognitionFailure): void {
    if (this.isClosed) return;
    this.isOpen = false;
    this.underway = 0;
    this.startsAt = this.clock.monotonic() + AGAIN_MS[failure];
    this.onFailure(failure);
    const running = [...this.running];
    this.running.clear();
    for (const [utterance, event] of running) {
      if (event === 'started') this.report({ event: 'stopped', utterance, at: this.at });
      this.report({ event: 'final', utterance, text: undefined });
    }
    // The first commit has already ended the current utterance.
    if (this.asked[0] === 'commit' && running.some(([, event]) => event === 'started')) this.asked.shift();
    this.forget();
  }

  /** The buffer is lost; each commit still gets a result. */
  private forget(): void {
    const commits = this.asked.filter((one) => one === 'commit').length;
    [this.asked, this.waiting, this.waitingSamples] = [[], [], 0];
    for (let n = 0; n < commits; n++) this.fail();
  }

  /** An utterance without a transcript. */
  private fail(): void {
    const utterance = ++this.last;
    this.report({ event: 'stopped', utterance, at: this.at });
    this.report({ event: 'final', utterance, text: undefined });
  }

  private get at(): number {
    return Math.round((1000 * this.position) / LIVE_RATE);
  }

  private wait(sound: Int16Array, from: number): void {
    this.waitingSamples += sound.length;
    const last = this.waiting.at(-1);
    if (typeof last === 'object' && last.from + last.length === from && last.length + sound.length <= PIECE) {
      last.sound.push(sound);
      last.length += sound.length;
    } else this.waiting.push({ sound: [sound], length: sound.length, from });
  }

  private order(order: Exclude<Waiting, object>): void {
    if (this.isClosed) return;
    this.waiting.push(order);
    this.flush();
  }

  private flush(): void {
    if (this.isClosed || !this.mayStart()) return;
    if (!this.isOpen) {
      this.isOpen = true;
      const next = this.waiting.find((one) => typeof one === 'object');
      this.send({ order: 'open', detection: this.detection, from: next?.from ?? this.position, first: this.last + 1 });
    }
    while (this.isOpen && this.waiting.length > 0 && this.underway < UNDERWAY_LIMIT) {
      const next = this.waiting.shift()!;
      if (next === 'configure') this.send({ order: next, detection: this.detection });
      else if (typeof next === 'string') this.send({ order: next });
      else {
        this.underway++;
        this.waitingSamples -= next.length;
        this.send({ order: 'hear', sound: joined(next.sound, next.length), from: next.from });
      }
    }
  }

  /** The buffer is lost if the process may not be restarted yet. */
  private mayStart(): boolean {
    if (this.isOpen || this.clock.monotonic() >= this.startsAt) return true;
    this.forget();
    return false;
  }

  private send(order: EarOrder extends infer O ? (O extends EarOrder ? Omit<O, 'ear'> : never) : never): void {
    this.process.obey(this, { ear: this.ear, ...order } as EarOrder);
  }

  private pass(heard: EarEvent): void {
    const { utterance, event } = heard;
    const isCommitted = event === 'stopped' && heard.committed;
    if (isCommitted) this.asked.shift();
    const begins = utterance > this.last && (event === 'started' || isCommitted);
    this.last = Math.max(this.last, utterance);
    // A cleared utterance has ended, though the process may not know it yet.
    const isForgotten = this.asked[0] === 'clear' && !isCommitted && this.running.get(utterance) !== 'stopped';
    if (isForgotten || !(begins || this.running.has(utterance))) return;
    if (event === 'stopped' && !isCommitted) this.fresh = 0;
    if (event === 'final') this.running.delete(utterance);
    else if (event !== 'partial') this.running.set(utterance, event);
    if (event === 'stopped') this.report({ event, utterance, at: heard.at });
    else if (event !== 'final') this.report(heard);
    else if ('sound' in heard) this.report({ event: 'sound', utterance, sound: heard.sound });
    else this.report({ event, utterance, text: heard.text });
  }
}

function joined(pieces: readonly Int16Array[], length: number): Int16Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Int16Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
