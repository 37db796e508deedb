/** Measurements of mono audio, as Float32Array from -1 to 1. */

/** The frame length in seconds. Only the louder half of the frames counts: pauses and breath have no pitch. */
const FRAME = 0.03;
const STEP = 0.015;
const [LOWEST, HIGHEST] = [60, 500];
/** YIN takes the first dip of the difference function below this threshold as the period. */
const THRESHOLD = 0.15;

/** The median fundamental frequency of voiced sound in Hz, by YIN (de Cheveigné and Kawahara, 2002). */
export function medianPitch(sound, sampleRate) {
  const { samples, rate } = halved(sound, sampleRate);
  const [width, longest, shortest] = [FRAME * rate, rate / LOWEST, rate / HIGHEST].map(Math.round);
  const quiet = rms(samples, 0, samples.length) / 2;
  const pitches = [];
  for (let at = 0; at + width + longest < samples.length; at += Math.round(STEP * rate)) {
    if (rms(samples, at, width) < quiet) continue;
    const period = periodAt(samples, at, { width, longest, shortest });
    if (period) pitches.push(rate / period);
  }
  return pitches.sort((a, b) => a - b)[pitches.length >> 1] ?? Number.NaN;
}

function periodAt(samples, at, { width, longest, shortest }) {
  const differences = new Float32Array(longest + 1).fill(1);
  let sum = 0;
  for (let lag = 1; lag <= longest; lag++) {
    let difference = 0;
    for (let n = at; n < at + width; n++) difference += (samples[n] - samples[n + lag]) ** 2;
    sum += difference;
    differences[lag] = sum === 0 ? 1 : (difference * lag) / sum;
  }
  let lag = shortest;
  while (lag <= longest && differences[lag] >= THRESHOLD) lag++;
  if (lag > longest) return undefined;
  while (lag < longest && differences[lag + 1] < differences[lag]) lag++;
  return lag;
}

function halved(sound, sampleRate) {
  const samples = new Float32Array(sound.length >> 1);
  for (let n = 0; n < samples.length; n++) samples[n] = (sound[2 * n] + sound[2 * n + 1]) / 2;
  return { samples, rate: sampleRate / 2 };
}

function rms(samples, at, width) {
  let sum = 0;
  for (let n = at; n < at + width; n++) sum += samples[n] ** 2;
  return Math.sqrt(sum / width);
}
