/**
 * Speaks texts with the offline voice, for tests of how a recording is segmented.
 *
 *     node packages/widget/test/say.mjs '[["en-us+f3","Hello."]]'
 *
 * Prints JSON: for each text `samples` (base64 of 32-bit floats at 22,050 Hz) and `words`, the start of each word in seconds.
 */
import load from '@echogarden/espeak-ng-emscripten';

const espeak = new (await load()).eSpeakNGWorker();
const spoken = JSON.parse(process.argv[2]).map(([voice, text]) => {
  const pieces = [];
  const words = [];
  espeak.set_voice(voice);
  espeak.synthesize(text, (sound, events) => {
    pieces.push(...Array.from(sound, (sample) => sample / 32_768));
    for (const { type, audio_position } of events) if (type === 'word') words.push(audio_position / 1000);
    return false;
  });
  return { samples: Buffer.from(Float32Array.from(pieces).buffer).toString('base64'), words };
});
process.stdout.write(JSON.stringify(spoken));
