import { unlessAborted, clauses, Sentences, type SpeechSamples } from 'avatar-chat-media';

/** The sentences of an answer, buffered while it is produced, and read by index. */
export class SentenceSource {
  private readonly sentences: string[] = [];
  private isOver = false;
  private failure?: unknown;
  private wake: () => void = () => undefined;

  constructor(pieces: AsyncIterable<string>, language_code: string) {
    void this.collect(pieces, new Sentences(language_code));
  }

  /** @returns undefined after the last. @throws the error of the answer, after its last sentence */
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

  /** Trailing white space belongs to the previous sentence. The first sentence is split into clauses. */
  private add(sentences: readonly string[]): void {
    for (const sentence of sentences)
      if (sentence.trim() !== '')
        this.sentences.push(...(this.sentences.length === 0 ? clauses(sentence) : [sentence]));
    this.wake();
  }
}

/** Speaks a sentence; undefined if it has no audio. @throws SpeechError */
export type Speak = (sentence: string, signal: AbortSignal) => Promise<SpeechSamples | undefined>;

/**
 * Sentences as soon as they are known, with their audio, which is synthesized while the previous one is sent.
 *
 * @param first called when the first is known
 */
export async function* spokenSentences(
  source: SentenceSource,
  speak: Speak,
  first: () => void,
  signal: AbortSignal,
): AsyncGenerator<{ text: string; sound: Promise<SpeechSamples | undefined> }, void> {
  const next = async (index: number) => {
    const text = await source.at(index);
    if (text === undefined || signal.aborted) return undefined;
    if (index === 0) first();
    const sound = speak(text, signal);
    // The failure is reported to the consumer of the audio.
    sound.catch(() => undefined);
    return { text, sound };
  };
  let ahead = next(0);
  for (let index = 1; ; index++) {
    const sentence = await unlessAborted(ahead, signal);
    if (!sentence) return;
    ahead = next(index);
    ahead.catch(() => undefined);
    yield sentence;
  }
}
