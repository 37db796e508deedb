import { ESPEAK_RATE, type EspeakEvent, loadEspeak, visiblePhoneme, wordMarks } from './espeak.engine.js';
import type { PhonemeTime, SpeechSamples, Speech } from '../audio/speech.samples.js';
import { Pcm } from '../audio/pcm.js';
import { scaled, toMilliseconds } from '../audio/samples.js';
import { Mp3 } from '../audio/mp3.js';
import { spokenFrom } from '../text/spoken.text.js';
import type { SynthesisJob } from '../synthesis/synthesis.queue.js';
import { pauseAfter } from '../text/words.js';

export interface EspeakJob extends SynthesisJob {
  /** Unchanged text. */
  readonly text: string;
  /** Voices to try, best first. */
  readonly voices: readonly string[];
  readonly rate: number;
  /** 0–99; 50 is the default. */
  readonly pitch: number;
}

/** @throws Error with the code `ERR_MODULE_NOT_FOUND` if the optional packages are not installed */
export async function createSynthesizer() {
  const [espeak, mp3] = await Promise.all([loadEspeak(), Mp3.load()]);
  const pcm = new Pcm();

  /** @returns undefined if there is no such voice, nothing to speak, or `isCancelled` returned true */
  return function synthesize(job: EspeakJob, isCancelled: () => boolean): Speech | SpeechSamples | undefined {
    if (!job.voices.some((voice) => espeak.set_voice(voice) === 0)) return undefined;
    espeak.set_rate(job.rate);
    espeak.set_pitch(job.pitch);
    const sink = job.form === 'mp3' ? mp3 : pcm;
    sink.startAudio(ESPEAK_RATE);
    const events: EspeakEvent[] = [];
    const spoken = spokenFrom(job.text, job.pronounce, job.voices[0]!.split('+', 1)[0]);
    espeak.synthesize(spoken.text, (sound, heard) => {
      events.push(...heard);
      sink.append(scaled(sound));
      return isCancelled();
    });
    if (isCancelled()) return undefined;
    const phonemes = phonemeTimes(events, sink.length, sink.delay);
    if (phonemes.length === 0) return undefined;
    sink.appendSilence(pauseAfter(spoken.text));
    return sink.finish(job.text, phonemes, wordMarks(events, spoken));
  };
}

/** A phoneme ends when the next one or a pause starts. */
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
