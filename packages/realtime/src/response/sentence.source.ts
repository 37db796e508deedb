import { type AnswerPiece, RETRACT } from 'avatar-chat-models';
import { clauses, Sentences, type SpeechSamples } from 'avatar-chat-media';
import { unlessAborted } from 'avatar-chat-runtime';

/** The sentences of an answer, buffered while it is produced, and read by index. */
export class SentenceSource {
  private readonly sentences: string[] = [];
  /** How many sentences have been read. */
  private taken = 0;
  /** The index of the first sentence that was not retracted. */
  start = 0;
  private isOver = false;
  private failure?: unknown;
  private wake: () => void = () => undefined;

  constructor(
    pieces: AsyncIterable<AnswerPiece>,
    private readonly language_code: string,
  ) {
    void this.collect(pieces);
  }

  /** @returns undefined after the last. @throws the error of the answer, after its last sentence */
  async at(index: number): Promise<string | undefined> {
    while (index >= this.sentences.length && !this.isOver) await new Promise<void>((resolve) => (this.wake = resolve));
    this.taken = Math.max(this.taken, Math.min(index + 1, this.sentences.length));
    if (index < this.sentences.length) return this.sentences[index];
    if (this.failure !== undefined) throw this.failure;
    return undefined;
  }

  private async collect(pieces: AsyncIterable<AnswerPiece>): Promise<void> {
    let sentences = new Sentences(this.language_code);
    try {
      for await (const piece of pieces) {
        if (piece !== RETRACT) this.add(sentences.push(piece));
        else {
          sentences = new Sentences(this.language_code);
          this.start = this.sentences.length = this.taken;
        }
      }
      this.add(sentences.flush());
    } catch (error) {
      this.failure = error;
    }
    this.isOver = true;
    this.wake();
  }

  /** Trailing white space belongs to the previous sentence. The first sentence is split into clauses. */
  private add(sentences: readonly string[]): void {
    for (const sentence of sentences)
      if (sentence.trim() !== '')
        this.sentences.push(...(this.sentences.length === this.start ? clauses(sentence) : [sentence]));
    this.wake();
  }
}

/** Speaks a sentence; undefined if it has no audio. @throws SpeechError */
export type Speak = (sentence: string, signal: AbortSignal) => Promise<SpeechSamples | undefined>;

/** A sentence with its audio. */
export interface SpokenSentence {
  readonly text: string;
  readonly sound: Promise<SpeechSamples | undefined>;
  /** Whether the answer starts here: all earlier sentences were retracted. */
  readonly restarts?: boolean;
}

/**
 * Sentences as soon as they are known, with their audio, which is synthesized while the previous one is sent. If all of
 * them are retracted, an empty one says so.
 *
 * @param first called when the first is known
 */
export async function* spokenSentences(
  source: SentenceSource,
  speak: Speak,
  first: () => void,
  signal: AbortSignal,
): AsyncGenerator<SpokenSentence, void> {
  const next = async (index: number) => {
    const text = await source.at(index);
    if (text === undefined || signal.aborted) return undefined;
    if (index === 0) first();
    const sound = speak(text, signal);
    // The failure is reported to the consumer of the audio.
    sound.catch(() => undefined);
    return { text, sound };
  };
  let start: number | undefined;
  const restarts = () => start !== undefined && start !== source.start;
  const failures: unknown[] = [];
  try {
    let ahead = next(0);
    for (let index = 1; ; index++) {
      const sentence = await unlessAborted(ahead, signal);
      if (!sentence) break;
      ahead = next(index);
      ahead.catch(() => undefined);
      // Retracted while it was synthesized.
      if (index <= source.start) continue;
      const isRestart = restarts();
      start = source.start;
      yield isRestart ? { ...sentence, restarts: true } : sentence;
    }
  } catch (error) {
    failures.push(error);
  }
  if (restarts() && !signal.aborted) yield { text: '', sound: Promise.resolve(undefined), restarts: true };
  if (failures.length > 0) throw failures[0];
}
