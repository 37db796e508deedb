import { energyOf, joined, scaled } from '../../audio/samples.js';
import { LIVE_RATE } from '../../audio/speech.samples.js';
import type { TurnDetection } from './transcription.stream.js';
import type { Decodes } from '../decode.queue.js';
import { SampleBuffer } from '../sample.buffer.js';
import { SAMPLE_RATE } from '../speech.spans.js';
import { FRAME_MS, TurnDetector } from './turn.detector.js';
import { TURN_SAMPLES } from '../turns/log.mel.js';
import type { TurnModel } from '../turns/turn.judge.js';
import { silenceAfter } from '../turns/unfinished.words.js';
import { type Content, Utterance } from './utterance.js';

const MS = SAMPLE_RATE / 1000;
const FRAME = FRAME_MS * MS;
/** Maximum length of an utterance. */
const LONGEST_MS = 60_000;
/** A pause after which earlier speech can be transcribed separately, within a longer utterance. */
const LONG_PAUSE_MS = 1000;
/**
 * Speech before the first partial transcript, between further ones, and how much counts as short: somebody may wait for
 * the first word.
 */
const PARTIAL_MS = { first: 300, step: 240, short: 1000 };
/** Audio before a turn that may belong to it: what detection needs to find it. */
const ONSET_MS = 8 * FRAME_MS;
/** Padding around speech if turns end by {@link SpeechStream.commit}. */
const BEFORE_MS = 300;

/** Silence after which the meaning of a turn is judged: ahead of the pause in which the turn may end, for it takes a while. */
const JUDGED_MS = 96;
/** Probability above which a turn may be complete. */
const POSSIBLE = 0.5;

/** Callbacks of a stream. Positions are milliseconds. */
export type SpeechEvent = { readonly utterance: number } & (
  | { readonly event: 'started'; readonly at: number }
  | { readonly event: 'paused' | 'resumed' }
  /** @param committed by {@link SpeechStream.commit} */
  | { readonly event: 'stopped'; readonly at: number; readonly committed: boolean }
  | { readonly event: 'partial'; readonly text: string }
  | ({ readonly event: 'final' } & Content)
);

/** The native parts of a stream. */
export interface SpeechStreamParts {
  /** Resamples from `LIVE_RATE` to that of the models. */
  resample(samples: Float32Array): Float32Array;
  /** Speech probability of one frame. */
  isSpeech(frame: Float32Array): boolean;
  readonly decodes?: Decodes;
  /** The probability that a turn is complete; undefined if it cannot be judged. */
  judge(model: TurnModel, sound: Float32Array): Promise<number | undefined>;
}

/** Detects and transcribes the live speech of one speaker. */
export class SpeechStream {
  private readonly sound = new SampleBuffer();
  private readonly turns: TurnDetector;
  private utterance?: Utterance;
  private isAnnounced = false;
  /** The number of the last utterance. */
  private last: number;
  /** Where its speech started, and where the previous one ended. */
  private onset = 0;
  private ended = 0;
  /** Samples that do not fill a frame yet. */
  private rest = new Float32Array(0);
  /** The end of the received audio, and the offset that dropped samples add to positions in it. */
  private position: number;
  private lateMs: number;
  /** Position from which the next partial transcript is due. */
  private nextPartial = 0;
  private isPartialRunning = false;
  private shown = '';
  /** The probability that the turn is complete, in a silence. */
  private judgement?: Promise<number | undefined>;
  private finals = Promise.resolve();

  /** @param from the position of the first sample, at `LIVE_RATE`. @param first the number of the next utterance */
  constructor(
    private readonly parts: SpeechStreamParts,
    private detection: TurnDetection | undefined,
    from: number,
    first: number,
    private readonly report: (event: SpeechEvent) => void,
  ) {
    this.last = first - 1;
    this.position = from;
    this.lateMs = (1000 * from) / LIVE_RATE;
    this.turns = new TurnDetector(silenceOf(detection));
  }

  configure(detection: TurnDetection | undefined): void {
    this.detection = detection;
    this.turns.silence_ms = silenceOf(detection);
  }

  push(samples: Int16Array, from: number): void {
    this.lateMs += (1000 * (from - this.position)) / LIVE_RATE;
    this.position = from + samples.length;
    const whole = joined([this.rest, this.parts.resample(scaled(samples))]);
    let at = 0;
    for (; at + FRAME <= whole.length; at += FRAME) this.addFrame(whole.subarray(at, at + FRAME));
    this.rest = whole.slice(at);
  }

  /** Ends the utterance, or creates an empty one. */
  commit(): void {
    this.commitTurn(this.utterance ?? this.createUtterance(this.sound.end), true);
  }

  private commitTurn(utterance: Utterance, committed: boolean): void {
    this.turns.reset();
    this.stop(utterance, this.ms(this.sound.end), committed);
  }

  /** Discards the utterance that has not ended. */
  clear(): void {
    this.turns.reset();
    this.utterance?.cancelJobs();
    this.utterance = undefined;
  }

  private addFrame(frame: Float32Array): void {
    this.sound.append(frame);
    this.decide(this.parts.isSpeech(frame), Math.sqrt(energyOf(frame) / FRAME));
    const needed = this.utterance?.needed ?? this.sound.end - (this.before + ONSET_MS) * MS;
    this.sound.dropBefore(this.detection?.meaning ? Math.min(needed, this.sound.end - TURN_SAMPLES) : needed);
  }

  private decide(isSpeech: boolean, level: number): void {
    const change = this.turns.add(isSpeech, level);
    if (change?.event === 'started') this.start(change.at * FRAME);
    const { utterance } = this;
    if (!utterance) return;
    this.announce(utterance);
    if (change?.event === 'resumed') {
      utterance.resume();
      this.turns.silence_ms = silenceOf(this.detection);
    }
    if (isSpeech) utterance.addSpeech(FRAME);
    if (isSpeech) this.judgement = undefined;
    else if ((this.turns.silence ?? 0) >= JUDGED_MS) this.judgement ??= this.judge();
    if (change?.event === 'paused') {
      utterance.pause();
      void this.endIfComplete(utterance);
    }
    if (this.isAnnounced && (change?.event === 'paused' || change?.event === 'resumed'))
      this.report({ event: change.event, utterance: utterance.number });
    if (change?.event === 'stopped') return this.stop(utterance, this.ms(change.at * FRAME), false);
    if ((this.turns.silence ?? 0) >= LONG_PAUSE_MS) utterance.splitAtPause();
    else if (isSpeech) this.reportPartial(utterance);
    if (this.detection && this.sound.end - this.onset > LONGEST_MS * MS) this.commitTurn(utterance, false);
  }

  private judge(): Promise<number | undefined> | undefined {
    const { meaning } = this.detection ?? {};
    const { end } = this.sound;
    const from = Math.max(this.onset - this.before * MS, end - TURN_SAMPLES);
    return meaning && this.parts.judge(meaning, this.sound.slice(from, end));
  }

  /** The pause may be one of thought. */
  private async endIfComplete(utterance: Utterance): Promise<void> {
    const paused = this.sound.end - this.turns.silence! * MS;
    const isOver = () => this.utterance !== utterance || this.sound.end - (this.turns.silence ?? 0) * MS !== paused;
    const complete = await this.judgement;
    const { meaning, silence_duration_ms } = this.detection ?? {};
    if (isOver() || !meaning) return;
    const { certainty, limit_ms, language_code } = meaning;
    if (complete === undefined) this.turns.silence_ms = silence_duration_ms;
    if (complete === undefined || complete <= POSSIBLE) return;
    // It is being transcribed since the pause began, and is not answered earlier.
    const text = (await utterance.findText()) ?? '';
    if (isOver()) return;
    // The less certain, the longer it waits.
    const bySound = complete > certainty ? 0 : (limit_ms * (certainty - complete)) / (certainty - POSSIBLE);
    const silence = Math.max(bySound, silenceAfter(text, language_code));
    if (silence === 0) this.commitTurn(utterance, false);
    else this.turns.silence_ms = Math.min(limit_ms, silence);
  }

  private start(at: number): void {
    this.turns.silence_ms = silenceOf(this.detection);
    this.utterance = this.createUtterance(Math.max(this.ended, at - this.before * MS));
    this.utterance.addSpeech(this.sound.end - at);
    this.onset = at;
    this.nextPartial = at + PARTIAL_MS.first * MS;
  }

  /** Milliseconds of padding before speech. */
  private get before(): number {
    return this.detection?.prefix_padding_ms ?? BEFORE_MS;
  }

  private createUtterance(from: number): Utterance {
    [this.isAnnounced, this.shown] = [false, ''];
    return new Utterance(++this.last, this.sound, from, this.parts.decodes);
  }

  private announce({ number }: Utterance): void {
    if (!this.detection || this.isAnnounced) return;
    this.isAnnounced = true;
    this.report({ event: 'started', utterance: number, at: this.ms(this.onset) });
  }

  private stop(utterance: Utterance, at: number, committed: boolean): void {
    this.utterance = undefined;
    this.ended = this.sound.end;
    this.report({ event: 'stopped', utterance: utterance.number, at, committed });
    const content = utterance.finish();
    // In the order in which they were spoken.
    this.finals = this.finals.then(async () =>
      this.report({ event: 'final', utterance: utterance.number, ...(await content) }),
    );
  }

  private reportPartial(utterance: Utterance): void {
    const { decodes } = this.parts;
    if (!decodes || !this.isAnnounced || this.isPartialRunning || this.sound.end < this.nextPartial) return;
    const { length } = utterance;
    if (length === undefined || !decodes.isFree(length < PARTIAL_MS.short * MS)) return;
    this.isPartialRunning = true;
    this.nextPartial = this.sound.end + PARTIAL_MS.step * MS;
    void decodes.partial(utterance.current).then((last) => {
      this.isPartialRunning = false;
      const text = utterance.textWith(last ?? '');
      if (!last || utterance !== this.utterance || text === this.shown) return;
      this.shown = text;
      this.report({ event: 'partial', utterance: utterance.number, text });
    });
  }

  /** The position of a sample. */
  private ms(sample: number): number {
    return Math.round(sample / MS + this.lateMs);
  }
}

/** A turn whose meaning is judged waits longer. */
function silenceOf(detection: TurnDetection | undefined): number | undefined {
  return detection?.meaning?.limit_ms ?? detection?.silence_duration_ms;
}
