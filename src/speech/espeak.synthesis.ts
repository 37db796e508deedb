import { ESPEAK_RATE, type EspeakEvent, loadEspeak, visiblePhoneme } from './espeak.engine.js';
import type { PhonemeTime, Speech } from './speaker.js';
import { Mp3, toMilliseconds } from './speech.mp3.js';

/** What the thread is asked for. */
export interface EspeakJob {
  readonly text: string;
  /** Voices to try, the best first. */
  readonly voices: readonly string[];
  /** Words a minute. */
  readonly rate: number;
  /** 0–99; 50 is usual. */
  readonly pitch: number;
}

/** @throws Error with the code `ERR_MODULE_NOT_FOUND` where the optional packages are not installed */
export async function createSynthesizer() {
  const [espeak, mp3] = await Promise.all([loadEspeak(), Mp3.load()]);

  /** @returns undefined where there is no such voice, nothing to be heard, or `isCancelled` said so */
  return function synthesize(job: EspeakJob, isCancelled: () => boolean): Speech | undefined {
    if (!job.voices.some((voice) => espeak.set_voice(voice) === 0)) return undefined;
    espeak.set_rate(job.rate);
    espeak.set_pitch(job.pitch);
    mp3.begin(ESPEAK_RATE);
    const events: EspeakEvent[] = [];
    espeak.synthesize(job.text, (sound, heard) => {
      events.push(...heard);
      mp3.append(scaled(sound));
      return isCancelled();
    });
    const phonemes = phonemeTimes(events, mp3.length, mp3.delay);
    const encoded = mp3.end();
    if (isCancelled() || phonemes.length === 0) return undefined;
    return { ...encoded, content_type: 'audio/mpeg', phonemes };
  };
}

/** A phoneme lasts until the next, or a pause, begins. */
function phonemeTimes(events: readonly EspeakEvent[], end: number, delay: number): PhonemeTime[] {
  const sounds = events.filter(({ type }) => type === 'phoneme' || type === 'end');
  return sounds.flatMap(({ id, audio_position }, index) => {
    const [start, next] = [audio_position / 1000, (sounds[index + 1]?.audio_position ?? end * 1000) / 1000];
    const phoneme = visiblePhoneme(id);
    return phoneme && next > start
      ? [{ phoneme, start: toMilliseconds(start + delay), end: toMilliseconds(next + delay) }]
      : [];
  });
}

/** Sixteen bits to what lies between -1 and 1. */
function scaled(samples: Int16Array): Float32Array {
  const result = new Float32Array(samples.length);
  for (let at = 0; at < samples.length; at++) result[at] = samples[at]! / 32_768;
  return result;
}
