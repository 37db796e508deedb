import { SAMPLE_RATE } from './speech.spans.js';

/** Sound that is left out at the beginning, where there were no words with it: with other silence before, Moonshine finds some. */
const LEFT_OUT = [0.15 * SAMPLE_RATE, 0.25 * SAMPLE_RATE];
/** What is shorter without it is not tried again. */
const SHORTEST = 0.5 * SAMPLE_RATE;

/** Tries again where a model finds no words: of short utterances it misses some as a whole, by the silence before them. */
export async function wordsAtLast(
  samples: Float32Array,
  decode: (samples: Float32Array) => Promise<string>,
): Promise<string> {
  let text = await decode(samples);
  for (const left of LEFT_OUT) {
    if (text !== '' || samples.length - left < SHORTEST) break;
    text = await decode(samples.subarray(left));
  }
  return text;
}
