import { clauses, Sentences, type Sound } from '../speech/index.js';

/** The sentences of an answer, collected while it is produced, to be read by their number. */
export class SentenceSource {
  private readonly sentences: string[] = [];
  private isOver = false;
  private failure?: unknown;
  private wake: () => void = () => undefined;

  constructor(pieces: AsyncIterable<string>, language_code: string) {
    void this.collect(pieces, new Sentences(language_code));
  }

  /** @returns undefined after the last. @throws what the answer failed with, after the last sentence that there is */
  async at(index: number): Promise<string | undefined> {
    while (index >= this.sentences.length && !this.isOver) await new Promise<void>((resolve) => (this.wake = resolve));
    if (index < this.sentences.length) return this.sentences[index];
    if (this.failure !== undefined) throw this.failure;
    return undefined;
  }

  private async collect(pieces: AsyncIterable<string>, sentences: Sentences): Promise<void> {
    try {
      for await (const piece of pieces) this.add(sentences.push(piece));
      this.add(sentences.end());
    } catch (error) {
      this.failure = error;
    }
    this.isOver = true;
    this.wake();
  }

  /** Space alone, as after the last sentence, belongs to the one before. The first sentence comes by its clauses. */
  private add(sentences: readonly string[]): void {
    for (const sentence of sentences)
      if (sentence.trim() !== '')
        this.sentences.push(...(this.sentences.length === 0 ? clauses(sentence) : [sentence]));
    this.wake();
  }
}

/** Speaks a sentence; undefined where it has no sound. @throws SpeechError */
export type Speak = (sentence: string, signal: AbortSignal) => Promise<Sound | undefined>;

/**
 * Sentences, each as soon as it is known, with its sound, which is made while the one before is sent.
 *
 * @param first called when the first is known
 */
export async function* spokenSentences(
  source: SentenceSource,
  speak: Speak,
  first: () => void,
  signal: AbortSignal,
): AsyncGenerator<{ text: string; sound: Promise<Sound | undefined> }, void> {
  const next = async (index: number) => {
    const text = await source.at(index);
    if (text === undefined || signal.aborted) return undefined;
    if (index === 0) first();
    const sound = speak(text, signal);
    // Whoever wants the sound hears of its failure.
    sound.catch(() => undefined);
    return { text, sound };
  };
  let ahead = next(0);
  for (let index = 1; ; index++) {
    const sentence = await untilAborted(ahead, signal);
    if (!sentence) return;
    ahead = next(index);
    ahead.catch(() => undefined);
    yield sentence;
  }
}

/** @returns undefined as soon as the signal is aborted */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let stop = () => undefined as void;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
