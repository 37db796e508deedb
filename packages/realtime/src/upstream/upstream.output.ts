import { ReasoningFilter, RETRACT, type RealtimePart } from 'avatar-chat-models';
import { estimatedWords, LIVE_RATE, wordsOf } from 'avatar-chat-media';
import { AudioDecoder, PCM } from '../input/audio.formats.js';
import type { Utterance } from '../response/live.response.js';

/** Maximum piece of audio, in samples. */
const LONGEST = LIVE_RATE / 2;
/** While the length of the speech is unknown. */
const LETTERS_A_SECOND = 18;

/**
 * The answer of an upstream server, whose text and audio arrive separately and faster than real time: buffers both, and
 * aligns them so that each word is sent about when it is heard.
 */
export class UpstreamOutput {
  private readonly decoder = new AudioDecoder(PCM);
  private readonly sounds: Int16Array[] = [];
  /** Samples in the buffer. */
  private waiting = 0;
  private text = '';
  /** Letters and samples that have been read. */
  private lettersSent = 0;
  private said = 0;
  /** Text that was already read turned out to be reasoning. */
  private restarts = false;
  private isOver = false;
  private failure?: unknown;
  private wake: () => void = () => undefined;

  /**
   * @param named called with the server's identifier of the item
   * @param reasoning see `RealtimeEntry`: an answer in text may begin with reasoning
   */
  constructor(
    parts: AsyncIterable<RealtimePart>,
    private readonly isSpoken: boolean,
    named: (item_id: string) => void,
    reasoning?: boolean,
  ) {
    void this.collect(parts, named, new ReasoningFilter(reasoning));
  }

  /** @throws the error of the answer, after everything that was received */
  async *utterances(): AsyncGenerator<Utterance, void> {
    for (;;) {
      const most = Math.min(LONGEST, this.waiting);
      // G.711 has a third of the samples.
      const count = this.isOver && most < LONGEST ? most : most - (most % 3);
      if (count > 0) yield this.spoken(this.next(count));
      else if ((this.text !== '' || this.restarts) && (!this.isSpoken || this.isOver)) yield this.rest();
      else if (!this.isOver) await new Promise<void>((resolve) => (this.wake = resolve));
      else if (this.failure !== undefined) throw this.failure;
      else return;
    }
  }

  private spoken(samples: Int16Array): Utterance {
    this.said += samples.length;
    const all = this.lettersSent + this.text.length;
    const wanted = this.isOver
      ? (all * this.said) / (this.said + this.waiting)
      : (this.said / LIVE_RATE) * LETTERS_A_SECOND;
    const text = this.take(wanted);
    return { text, sound: { samples, phonemes: [], words: timesOf(text, samples.length / LIVE_RATE) } };
  }

  /** Only text, or words that arrived after their audio. */
  private rest(): Utterance {
    const text = this.take(Infinity);
    if (this.restarts) {
      this.restarts = false;
      return { text, restarts: true };
    }
    return this.isSpoken
      ? { text, sound: { samples: new Int16Array(0), phonemes: [], words: timesOf(text, 0) } }
      : { text };
  }

  /** Words up to a number of letters; the last may be incomplete. */
  private take(letters: number): string {
    const words = wordsOf(this.text);
    if (!this.isOver && letters !== Infinity) words.pop();
    let text = '';
    for (const word of words) {
      if (this.lettersSent + text.length >= letters) break;
      text += word;
    }
    this.lettersSent += text.length;
    this.text = this.text.slice(text.length);
    return text;
  }

  private async collect(
    parts: AsyncIterable<RealtimePart>,
    named: (item_id: string) => void,
    filter: ReasoningFilter,
  ): Promise<void> {
    try {
      for await (const part of parts) {
        if ('item_id' in part) named(part.item_id);
        else if ('text' in part) this.addText(this.isSpoken ? [part.text] : filter.push(part.text));
        else if ('sound' in part) {
          const samples = this.decoder.decode(part.sound);
          this.sounds.push(samples);
          this.waiting += samples.length;
        }
        this.wake();
      }
      this.addText(filter.end());
    } catch (error) {
      this.failure = error;
      if (this.isSpoken && this.said + this.waiting === 0) this.text = ''; // nobody has heard it
    }
    this.isOver = true;
    this.wake();
  }

  private addText(pieces: readonly (string | typeof RETRACT)[]): void {
    for (const piece of pieces) {
      if (piece !== RETRACT) {
        this.text += piece;
        continue;
      }
      this.restarts = this.lettersSent > 0;
      this.text = '';
      this.lettersSent = 0;
    }
  }

  private next(count: number): Int16Array {
    const samples = new Int16Array(count);
    for (let at = 0; at < count;) {
      const piece = this.sounds[0]!;
      const part = piece.subarray(0, count - at);
      samples.set(part, at);
      at += part.length;
      if (part.length < piece.length) this.sounds[0] = piece.subarray(part.length);
      else this.sounds.shift();
    }
    this.waiting -= count;
    return samples;
  }
}

function timesOf(text: string, end: number) {
  return text === '' ? [] : estimatedWords(text, { start: 0, end });
}
