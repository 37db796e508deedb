import { type Espeak, type EspeakEvent, loadEspeak, wordMarks } from '../espeak/espeak.engine.js';
import type { PiperModel } from './piper.model.js';
import { piperSentence, timeline } from './piper.phonemes.js';
import { PiperVoice } from './piper.voice.js';
import { Sentences } from '../text/sentences.js';
import type { PhonemeTime, SpeechSamples, Speech } from '../audio/speech.samples.js';
import { Pcm } from '../audio/pcm.js';
import { audible, toMilliseconds } from '../audio/samples.js';
import { Mp3 } from '../audio/mp3.js';
import { spokenFrom, type SpokenText } from '../text/spoken.text.js';
import type { SynthesisJob } from '../synthesis/synthesis.queue.js';
import { pauseAfter, type WordMark } from '../text/words.js';

/** A job for the process. */
export interface PiperJob extends SynthesisJob {
  readonly model: PiperModel;
  /** Unchanged text. Omitted: the model is only loaded. */
  readonly text: string;
  /** The speaker's number in a model with several. */
  readonly speaker: number;
  /** 1 is the model's default speed. */
  readonly rate: number;
}

/** Maximum number of models in memory; the oldest is unloaded first. */
const MAX_MODELS = 3;
/** Time limit for one text, in milliseconds, after which no further sentence is started. */
const WORK_LIMIT_MS = 12_000;
/** Pause between sentences, in seconds. */
const PAUSE = 0.15;
/** Silence that stays around a sentence, in seconds: quiet phonemes are part of it. */
const EDGE = 0.05;

/** Speaks with Piper models. */
export class PiperSynthesizer {
  private readonly voices = new Map<string, PiperVoice>();
  private readonly pcm = new Pcm();

  private constructor(
    private readonly espeak: Espeak,
    private readonly mp3: Mp3,
    private readonly directory: string,
  ) {}

  /**
   * @param directory for temporary files
   * @throws Error with the code `ERR_MODULE_NOT_FOUND` if optional packages are not installed
   */
  static async load(directory: string): Promise<PiperSynthesizer> {
    const [espeak, mp3] = await Promise.all([loadEspeak(), Mp3.load()]);
    return new PiperSynthesizer(espeak, mp3, directory);
  }

  /** @returns undefined if there is nothing to speak, or `isCancelled` returned true after a sentence */
  async synthesize(job: PiperJob, isCancelled: () => boolean): Promise<Speech | SpeechSamples | undefined> {
    const voice = await this.voiceOf(job.model);
    const { config } = job.model;
    const spoken = spokenFrom(job.text, job.pronounce, config.espeakVoice);
    if (spoken.text === '' || this.espeak.set_voice(config.espeakVoice) !== 0) return undefined;
    const sink = job.form === 'mp3' ? this.mp3 : this.pcm;
    const phonemes: PhonemeTime[] = [];
    const marks: WordMark[] = [];
    sink.startAudio(config.sampleRate);
    const until = performance.now() + WORK_LIMIT_MS;
    for (const part of sentencesOf(spoken, config.espeakVoice)) {
      // Lets a cancellation arrive in between.
      await new Promise(setImmediate);
      if (isCancelled()) return undefined;
      if (performance.now() > until) break;
      const events = this.eventsOf(part.text);
      const sentence = piperSentence(part.text, events, config);
      if (sentence.ids.length === 0) continue;
      if (phonemes.length > 0) sink.appendSilence(PAUSE);
      const { samples, ends } = voice.generate(sentence.ids, job.speaker, job.rate);
      const [first, last] = audible(samples);
      const begin = Math.max(0, first - EDGE * config.sampleRate);
      const before = sink.length + sink.delay - begin / config.sampleRate;
      sink.append(samples.subarray(begin, last + EDGE * config.sampleRate));
      const time = timeline(sentence.phonemes, [first / config.sampleRate, last / config.sampleRate], ends);
      const timeIn = (at: number) => toMilliseconds(before + time(at));
      for (const { phoneme, start, end } of sentence.phonemes)
        phonemes.push({ phoneme, start: timeIn(start), end: timeIn(end) });
      for (const { index, at } of wordMarks(events, part)) marks.push({ index, at: timeIn(at) });
    }
    if (isCancelled() || phonemes.length === 0) return undefined;
    const heard = phonemes.filter(({ start, end }) => end > start);
    sink.appendSilence(pauseAfter(spoken.text) / 2);
    return sink.finish(job.text, heard, marks);
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

function sentencesOf({ text, positions }: SpokenText, language_code: string): SpokenText[] {
  const sentences = new Sentences(language_code);
  let start = 0;
  return [...sentences.push(text), ...sentences.flush()].map((sentence) => {
    const part = { text: sentence, positions: positions.slice(start, start + sentence.length) };
    start += sentence.length;
    return part;
  });
}
