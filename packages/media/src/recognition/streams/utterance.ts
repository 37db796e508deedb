import { joined } from '../../audio/samples.js';
import type { DecodeJob, Decodes } from '../decode.queue.js';
import type { SampleBuffer } from '../sample.buffer.js';
import { SAMPLE_RATE } from '../speech.spans.js';
import type { FinalTranscript } from './transcription.stream.js';

/**
 * Length of speech after which a pause splits an utterance: its transcript is final, and what follows is transcribed
 * separately.
 */
const DIVISIBLE = 3 * SAMPLE_RATE;
/** Models are trained on utterances; speech without a pause is split anywhere. */
const LONGEST = 12 * SAMPLE_RATE;
/** Audio kept before speech that continues after a long pause, since its start is detected late. */
const MARGIN = 0.35 * SAMPLE_RATE;
/** Padding with silence at the end; the beginning has enough, and more makes 3 of 100 words fewer correct. */
const PADDING = 0.15 * SAMPLE_RATE;
/** Minimum samples of speech for a transcript. */
const SHORTEST = 0.09 * SAMPLE_RATE;
/** Maximum number of parts of an utterance: at least twenty minutes of speech. */
const PARTS = 400;
/** Maximum audio kept for transcribers of whole utterances. */
const KEPT = 60 * SAMPLE_RATE;

/** The result of an utterance: a transcript or, for an external transcriber, the audio. */
export type Content = FinalTranscript | { readonly sound: Float32Array };

interface Part {
  readonly end: number;
  readonly job?: DecodeJob;
  /** The outcome of the transcription. */
  text?: string;
  readonly sound?: Float32Array;
}

/**
 * An utterance in progress: split at pauses, so that little remains to be transcribed at its end. Transcription already
 * starts during a pause, which may be the end. Positions are samples.
 */
export class Utterance {
  private readonly parts: Part[] = [];
  private guess?: Part;
  private spoken = 0;
  private kept = 0;

  /**
   * @param partStart start of the current part; undefined during a long pause
   * @param decodes undefined if the audio is requested
   */
  constructor(
    readonly number: number,
    private readonly sound: SampleBuffer,
    private partStart: number | undefined,
    private readonly decodes?: Decodes,
  ) {}

  /** Audio before this position is no longer needed. */
  get needed(): number {
    return this.partStart ?? this.sound.end - MARGIN;
  }

  /** Adds speech of this length. */
  addSpeech(samples: number): void {
    this.partStart ??= Math.max(this.parts.at(-1)?.end ?? 0, this.sound.end - MARGIN);
    this.spoken += samples;
    if (this.sound.end - this.partStart > LONGEST) this.divide(this.createPart('guess'));
  }

  pause(): void {
    if (this.partStart !== undefined && this.spoken >= SHORTEST) this.guess ??= this.createPart('guess');
  }

  /** The pause is so long that what follows is transcribed separately. */
  splitAtPause(): void {
    if (this.guess) this.divide(this.guess);
    [this.partStart, this.spoken] = [undefined, 0];
  }

  resume(): void {
    const { guess, partStart: begin } = this;
    if (!guess || begin === undefined) return;
    this.guess = undefined;
    if (guess.end - begin >= DIVISIBLE) this.divide(guess);
    else guess.job?.cancel();
  }

  /** Samples of the current part; undefined while the transcript of earlier parts is pending. */
  get length(): number | undefined {
    const isKnown = this.parts.every(({ text }) => text !== undefined);
    return isKnown && this.partStart !== undefined ? this.sound.end - this.partStart : undefined;
  }

  /** The audio of that part. */
  get current(): Float32Array {
    return this.sound.slice(this.partStart ?? this.sound.end, this.sound.end, 0, PADDING);
  }

  /** The partial transcript. */
  textWith(last: string): string {
    return joinedText([...this.parts.map(({ text }) => text), last]);
  }

  /** The transcript if it ends in the present pause; undefined if it goes on, or there is none. */
  async findText(): Promise<string | undefined> {
    const { job } = this.guess ?? {};
    job?.makeFinal();
    const last = await job?.text;
    return last === undefined ? undefined : this.textWith(last);
  }

  /** The utterance has ended. */
  async finish(): Promise<Content> {
    if (this.partStart !== undefined && this.spoken >= SHORTEST) this.guess ??= this.createPart('final');
    const parts = this.guess ? [...this.parts, this.guess] : this.parts;
    if (!this.decodes) return { sound: joined(parts.map(({ sound }) => sound!)) };
    for (const { job } of parts) job!.makeFinal();
    const texts = await Promise.all(parts.map(({ job }) => job!.text));
    const { language } = parts.findLast(({ job }) => job!.language)?.job ?? {};
    return { text: texts.includes(undefined) ? undefined : joinedText(texts), language };
  }

  /** Cancels it. */
  cancelJobs(): void {
    for (const { job } of [...this.parts, ...(this.guess ? [this.guess] : [])]) job?.cancel();
  }

  private createPart(urgency: 'final' | 'guess'): Part {
    const { end } = this.sound;
    const begin = this.partStart!;
    if (this.decodes) return { end, job: this.decodes.add(this.sound.slice(begin, end, 0, PADDING), urgency) };
    return { end, sound: this.sound.slice(begin, Math.min(end, begin + KEPT - this.kept)) };
  }

  private divide(part: Part): void {
    this.guess = undefined;
    if (this.parts.length < PARTS) this.parts.push(part);
    else part.job?.cancel();
    this.kept += part.sound?.length ?? 0;
    void part.job?.text.then((text) => (part.text = text));
    [this.partStart, this.spoken] = [part.end, 0];
  }
}

function joinedText(texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join(' ');
}
