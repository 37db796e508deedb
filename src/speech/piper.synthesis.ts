import { type Espeak, type EspeakEvent, loadEspeak } from './espeak.engine.js';
import type { PiperModel } from './piper.model.js';
import { piperSentence, stretched } from './piper.phonemes.js';
import { PiperVoice } from './piper.voice.js';
import { Sentences } from './sentences.js';
import type { PhonemeTime, Speech } from './speaker.js';
import { Mp3, toMilliseconds } from './speech.mp3.js';

/** What the process is asked for. */
export interface PiperJob {
  readonly model: PiperModel;
  /** Without one, the model is only loaded. */
  readonly text: string;
  /** The number of the voice in a model with several. */
  readonly speaker: number;
  /** 1 is the model's usual speed. */
  readonly rate: number;
}

/** Models in memory; the oldest makes room for the next. */
const MAX_MODELS = 3;
/** Milliseconds of work on one text, after which no further sentence is begun. */
const WORK_LIMIT_MS = 12_000;
/** Seconds between sentences. */
const PAUSE = 0.15;
/** Below this sound is silence. */
const SILENCE = 0.02;

/** Speaks with Piper models. */
export class PiperSynthesizer {
  private readonly voices = new Map<string, PiperVoice>();

  private constructor(
    private readonly espeak: Espeak,
    private readonly mp3: Mp3,
    private readonly directory: string,
  ) {}

  /**
   * @param directory for temporary files
   * @throws Error with the code `ERR_MODULE_NOT_FOUND` where optional packages are not installed
   */
  static async load(directory: string): Promise<PiperSynthesizer> {
    const [espeak, mp3] = await Promise.all([loadEspeak(), Mp3.load()]);
    return new PiperSynthesizer(espeak, mp3, directory);
  }

  /** @returns undefined where there is nothing to be heard, or `isCancelled` said so after a sentence */
  async synthesize(job: PiperJob, isCancelled: () => boolean): Promise<Speech | undefined> {
    const voice = await this.voiceOf(job.model);
    const { config } = job.model;
    if (job.text === '' || this.espeak.set_voice(config.espeakVoice) !== 0) return undefined;
    const sentences = new Sentences(config.espeakVoice);
    const { mp3 } = this;
    const phonemes: PhonemeTime[] = [];
    mp3.begin(config.sampleRate);
    const until = performance.now() + WORK_LIMIT_MS;
    for (const text of [...sentences.push(job.text), ...sentences.end()]) {
      // An order to cancel comes in between.
      await new Promise(setImmediate);
      if (isCancelled()) return undefined;
      if (performance.now() > until) break;
      const sentence = piperSentence(text, this.eventsOf(text), config);
      if (sentence.ids.length === 0) continue;
      if (phonemes.length > 0) mp3.append(new Float32Array(Math.round(PAUSE * config.sampleRate)));
      const sound = voice.generate(sentence.ids, job.speaker, job.rate);
      const [first, last] = audible(sound).map((sample) => sample / config.sampleRate + mp3.length + mp3.delay);
      mp3.append(sound);
      for (const { phoneme, start, end } of stretched(sentence.phonemes, first!, last!))
        phonemes.push({ phoneme, start: toMilliseconds(start), end: toMilliseconds(end) });
    }
    const encoded = mp3.end();
    if (isCancelled() || phonemes.length === 0) return undefined;
    return { ...encoded, content_type: 'audio/mpeg', phonemes: phonemes.filter(({ start, end }) => end > start) };
  }

  private async voiceOf(model: PiperModel): Promise<PiperVoice> {
    const key = `${model.file}\n${model.version}`;
    const voice = this.voices.get(key) ?? (await PiperVoice.load(model, this.directory));
    this.voices.delete(key);
    this.voices.set(key, voice);
    for (const oldest of this.voices.keys()) if (this.voices.size > MAX_MODELS) this.voices.delete(oldest);
    return voice;
  }

  private eventsOf(text: string): EspeakEvent[] {
    const events: EspeakEvent[] = [];
    this.espeak.synthesize(text, (_, heard) => {
      events.push(...heard);
      return false;
    });
    return events;
  }
}

/** The samples between which a sound is not silent. */
function audible(sound: Float32Array): [number, number] {
  const first = sound.findIndex((sample) => Math.abs(sample) > SILENCE);
  return first === -1 ? [0, sound.length] : [first, sound.findLastIndex((sample) => Math.abs(sample) > SILENCE) + 1];
}
