/** What browsers have of the Web Speech API. */
interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  start(): void;
  abort(): void;
  stop(): void;
}
interface RecognitionEvent extends Event {
  results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>;
}

const Recogniser =
  (globalThis as Record<string, unknown>)['SpeechRecognition'] ??
  (globalThis as Record<string, unknown>)['webkitSpeechRecognition'];

/** Whether this browser says that it can recognise speech. It may need its maker's servers for it. */
export const canRecognise = typeof Recogniser === 'function';

const LAST_WORDS = 1500;

/** The words of one utterance, as the browser hears them beside the recording. */
export class Recognition {
  private readonly recogniser: Recogniser;
  private words = '';
  private readonly ended: Promise<unknown>;

  constructor(language_code: string) {
    this.recogniser = new (Recogniser as new () => Recogniser)();
    this.recogniser.lang = language_code;
    this.recogniser.continuous = true;
    this.recogniser.addEventListener('result', (event) => {
      const { results } = event as RecognitionEvent;
      this.words = Array.from(results, (result) => result[0]?.transcript ?? '').join(' ');
    });
    this.ended = new Promise((resolve) => {
      this.recogniser.addEventListener('end', resolve);
      this.recogniser.addEventListener('error', resolve);
    });
    this.recogniser.start();
  }

  /** What was said, or undefined where nothing was understood. */
  async finish(): Promise<string | undefined> {
    this.recogniser.stop();
    await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, LAST_WORDS))]);
    return this.words.trim() || undefined;
  }

  drop(): void {
    this.recogniser.abort();
  }
}
