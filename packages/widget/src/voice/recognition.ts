/** The subset of the Web Speech API that is used here. */
interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  /** Keeps the audio on this device; newer browsers only. */
  processLocally?: boolean;
  start(): void;
  abort(): void;
  stop(): void;
}
interface RecognitionEvent extends Event {
  results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>;
}
interface LocalOptions {
  langs: string[];
  processLocally: true;
}
interface RecogniserClass {
  new (): Recogniser;
  available?(options: LocalOptions): Promise<'available' | 'downloadable' | 'downloading' | 'unavailable'>;
  install?(options: LocalOptions): Promise<boolean>;
}

const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Record<
  'SpeechRecognition' | 'webkitSpeechRecognition',
  RecogniserClass | undefined
>;
const Recogniser = SpeechRecognition ?? webkitSpeechRecognition;

/** Whether this browser has the API at all. */
export const canRecognise = typeof Recogniser === 'function';

const FINAL_RESULT_TIMEOUT_MS = 1500;

/** Why recognition failed. */
export type RecognitionProblem = 'network' | 'blocked' | 'language' | 'silent';

const PROBLEMS: Readonly<Record<string, RecognitionProblem>> = {
  network: 'network',
  'not-allowed': 'blocked',
  'service-not-allowed': 'blocked',
  'audio-capture': 'blocked',
  'language-not-supported': 'language',
  'no-speech': 'silent',
};

/** Whether this browser recognizes a language on the device, without sending audio anywhere. */
export async function recognisesLocally(language_code: string): Promise<boolean> {
  const state = await Recogniser?.available?.(local(language_code)).catch(() => 'unavailable' as const);
  return state === 'available';
}

/** Makes the browser download what it needs to recognize a language on the device. @returns whether it can now */
export async function installLocally(language_code: string): Promise<boolean> {
  const state = await Recogniser?.available?.(local(language_code)).catch(() => 'unavailable' as const);
  if (state === 'available') return true;
  if (state !== 'downloadable' && state !== 'downloading') return false;
  return (await Recogniser?.install?.(local(language_code)).catch(() => false)) === true;
}

/** The browser's transcript of one utterance, made in parallel to the recording. */
export class Recognition {
  private readonly recogniser: Recogniser;
  private words = '';
  private readonly ended: Promise<unknown>;
  /** Why recognition failed, if the browser reports it. */
  problem?: RecognitionProblem;

  /** @param isLocal keeps the audio on this device */
  constructor(language_code: string, isLocal: boolean) {
    this.recogniser = new Recogniser!();
    this.recogniser.lang = language_code;
    this.recogniser.continuous = true;
    if (isLocal) this.recogniser.processLocally = true;
    this.recogniser.addEventListener('result', (event) => {
      const { results } = event as RecognitionEvent;
      this.words = Array.from(results, (result) => result[0]?.transcript ?? '').join(' ');
    });
    this.ended = new Promise((resolve) => {
      this.recogniser.addEventListener('end', resolve);
      this.recogniser.addEventListener('error', (event) => {
        this.problem = PROBLEMS[(event as Event & { error: string }).error];
        resolve(undefined);
      });
    });
    this.recogniser.start();
  }

  /** The transcript, or undefined if nothing was recognized. */
  async finish(): Promise<string | undefined> {
    this.recogniser.stop();
    await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, FINAL_RESULT_TIMEOUT_MS))]);
    return this.words.trim() || undefined;
  }

  drop(): void {
    this.recogniser.abort();
  }
}

function local(language_code: string): LocalOptions {
  return { langs: [language_code], processLocally: true };
}
