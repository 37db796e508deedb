import type { DecodeQueue, Words } from './decode.queue.js';
import type { SoundBuffer } from './sound.buffer.js';
import { SAMPLE_RATE } from './speech.spans.js';

/** Speech after which a pause divides an utterance: its words are found out for good, and what follows stands by itself. */
const DIVISIBLE = 3 * SAMPLE_RATE;
/** Models are made for utterances; without a pause they are divided anywhere. */
const LONGEST = 12 * SAMPLE_RATE;
/** Sound before speech that goes on after a long pause: its beginning is noticed late. */
const MARGIN = 0.35 * SAMPLE_RATE;
/** Silence after what is recognized; before it there is enough, and with more, 3 of 100 words less are right. */
const PADDING = 0.15 * SAMPLE_RATE;
/** Samples of speech without which there are no words. */
const SHORTEST = 0.09 * SAMPLE_RATE;
/** Parts of an utterance that are recognized, at least twenty minutes of speech. */
const PARTS = 400;
/** Sound that is kept of an utterance for those who recognize it as a whole. */
const KEPT = 60 * SAMPLE_RATE;

/** What is heard in an utterance: words, or where another recognizes them, the sound. */
export type Content = { readonly text: string | undefined } | { readonly sound: Float32Array };

interface Part {
  readonly end: number;
  readonly words?: Words;
  /** What came of the words. */
  text?: string;
  readonly sound?: Float32Array;
}

/**
 * An utterance while it is spoken: divided at pauses, so that what is left to be recognized at its end is short. In a pause
 * its words are already recognized, for it may be the end. Positions are samples.
 */
export class Utterance {
  private readonly parts: Part[] = [];
  private guess?: Part;
  private spoken = 0;
  private kept = 0;

  /**
   * @param begin of the part that is being spoken; undefined in a long pause
   * @param decodes undefined where the sound is wanted
   */
  constructor(
    readonly number: number,
    private readonly sound: SoundBuffer,
    private begin: number | undefined,
    private readonly decodes?: DecodeQueue,
  ) {}

  /** What is needed of the sound begins here. */
  get needed(): number {
    return this.begin ?? this.sound.end - MARGIN;
  }

  /** There is this much speech more. */
  speak(samples: number): void {
    this.begin ??= Math.max(this.parts.at(-1)?.end ?? 0, this.sound.end - MARGIN);
    this.spoken += samples;
    if (this.sound.end - this.begin > LONGEST) this.divide(this.take('guess'));
  }

  pause(): void {
    if (this.begin !== undefined && this.spoken >= SHORTEST) this.guess ??= this.take('guess');
  }

  /** The pause is so long that what follows stands by itself. */
  rest(): void {
    if (this.guess) this.divide(this.guess);
    [this.begin, this.spoken] = [undefined, 0];
  }

  resume(): void {
    const { guess, begin } = this;
    if (!guess || begin === undefined) return;
    this.guess = undefined;
    if (guess.end - begin >= DIVISIBLE) this.divide(guess);
    else guess.words?.cancel();
  }

  /** Samples of the part that is being spoken; undefined while it is not known what was said before. */
  get length(): number | undefined {
    const isKnown = this.parts.every(({ text }) => text !== undefined);
    return isKnown && this.begin !== undefined ? this.sound.end - this.begin : undefined;
  }

  /** The sound of that part. */
  get current(): Float32Array {
    return this.sound.slice(this.begin ?? this.sound.end, this.sound.end, 0, PADDING);
  }

  /** The words so far. */
  with(last: string): string {
    return joined([...this.parts.map(({ text }) => text), last]);
  }

  /** The utterance is over. */
  async end(): Promise<Content> {
    if (this.begin !== undefined && this.spoken >= SHORTEST) this.guess ??= this.take('final');
    const parts = this.guess ? [...this.parts, this.guess] : this.parts;
    if (!this.decodes) return { sound: concatenated(parts.map(({ sound }) => sound!)) };
    for (const { words } of parts) words!.hurry();
    const texts = await Promise.all(parts.map(({ words }) => words!.text));
    return { text: texts.includes(undefined) ? undefined : joined(texts) };
  }

  /** Nobody wants to know any more. */
  drop(): void {
    for (const { words } of [...this.parts, ...(this.guess ? [this.guess] : [])]) words?.cancel();
  }

  private take(urgency: 'final' | 'guess'): Part {
    const { end } = this.sound;
    const begin = this.begin!;
    if (this.decodes) return { end, words: this.decodes.add(this.sound.slice(begin, end, 0, PADDING), urgency) };
    return { end, sound: this.sound.slice(begin, Math.min(end, begin + KEPT - this.kept)) };
  }

  private divide(part: Part): void {
    this.guess = undefined;
    if (this.parts.length < PARTS) this.parts.push(part);
    else part.words?.cancel();
    this.kept += part.sound?.length ?? 0;
    void part.words?.text.then((text) => (part.text = text));
    [this.begin, this.spoken] = [part.end, 0];
  }
}

function joined(texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join(' ');
}

function concatenated(pieces: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
