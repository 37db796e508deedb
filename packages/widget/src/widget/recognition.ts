/** What browsers have of the Web Speech API. */
interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  /** Keeps the sound on this device; newer browsers only. */
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

/** Whether this browser has the interface at all. */
export const canRecognise = typeof Recogniser === 'function';

const LAST_WORDS = 1500;

/** Why a browser understood nothing. */
export type RecognitionProblem = 'network' | 'blocked' | 'language' | 'silent';

const PROBLEMS: Readonly<Record<string, RecognitionProblem>> = {
  network: 'network',
  'not-allowed': 'blocked',
  'service-not-allowed': 'blocked',
  'audio-capture': 'blocked',
  'language-not-supported': 'language',
  'no-speech': 'silent',
};

/** Whether this browser recognises a language by itself, without sending sound to anyone. */
export async function recognisesLocally(language_code: string): Promise<boolean> {
  const state = await Recogniser?.available?.(local(language_code)).catch(() => 'unavailable' as const);
  return state === 'available';
}

/** Lets the browser fetch what it needs to recognise a language by itself. @returns whether it does now */
export async function installLocally(language_code: string): Promise<boolean> {
  const state = await Recogniser?.available?.(local(language_code)).catch(() => 'unavailable' as const);
  if (state === 'available') return true;
  if (state !== 'downloadable' && state !== 'downloading') return false;
  return (await Recogniser?.install?.(local(language_code)).catch(() => false)) === true;
}

/** The words of one utterance, as the browser hears them beside the recording. */
export class Recognition {
  private readonly recogniser: Recogniser;
  private words = '';
  private readonly ended: Promise<unknown>;
  /** Why nothing was understood, if the browser says so. */
  problem?: RecognitionProblem;

  /** @param isLocal keeps the sound on this device */
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

function local(language_code: string): LocalOptions {
  return { langs: [language_code], processLocally: true };
}
