import { SAMPLE_RATE } from './speech.spans.js';

/** Audio skipped at the beginning if no words were found: with different silence before it, Moonshine finds some. */
const LEFT_OUT = [0.15 * SAMPLE_RATE, 0.25 * SAMPLE_RATE];
/** Shorter remainders are not tried. */
const SHORTEST = 0.5 * SAMPLE_RATE;

/**
 * Retries if a model finds no words: it misses some short utterances entirely, depending on the silence before them.
 */
export async function decodeWithRetries(
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
