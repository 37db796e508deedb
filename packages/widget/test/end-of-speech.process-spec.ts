import { execFileSync } from 'node:child_process';
import { pitchOf } from '../src/voice/pitch.js';
import { VoiceActivity } from '../src/voice/voice-activity.js';

const RATE = 22_050;
const FRAME = Math.round(RATE * 0.043);
const TICK = 0.05;
const SILENCE = 0.7;
/** A pause that would end the speech by the setting alone. */
const THINKING = 1;

const SENTENCES: [voice: string, text: string][] = [
  ['en-us+f3', 'I would like to fly to Berlin next Tuesday morning.'],
  ['en-us+m3', 'My sister bought a new house near the river.'],
  ['de+m3', 'Ich möchte am nächsten Dienstag nach Berlin fliegen.'],
  ['de+f2', 'Wie lernt man am besten eine neue Sprache?'],
  ['es+f2', 'Mi hermana compró una casa nueva cerca del río.'],
  ['fr-fr+m1', 'Je voudrais aller à Berlin mardi prochain.'],
];

function spoken(): { samples: Float32Array; words: number[] }[] {
  const text = execFileSync(process.execPath, ['packages/widget/test/say.mjs', JSON.stringify(SENTENCES)], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  });
  return (JSON.parse(text) as { samples: string; words: number[] }[]).map(({ samples, words }) => {
    const bytes = Uint8Array.from(Buffer.from(samples, 'base64'));
    const all = new Float32Array(bytes.buffer);
    return { samples: all.subarray(0, all.findLastIndex((sample) => Math.abs(sample) > 0.01) + 1), words };
  });
}

/** Background noise without speech; the same in each run. */
function room(seconds: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: seconds * RATE }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return (state / 2_147_483_647 - 0.5) * 0.006;
  });
}

/** The detected ends of speech, in seconds. */
function ends(...parts: Float32Array[]): number[] {
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const part of parts) {
    samples.set(part, length);
    length += part.length;
  }
  const activity = new VoiceActivity(SILENCE * 1000);
  const found: number[] = [];
  for (let now = 0; now * RATE + FRAME < samples.length; now += TICK) {
    const frame = samples.subarray(Math.round(now * RATE), Math.round(now * RATE) + FRAME);
    let energy = 0;
    for (const sample of frame) energy += sample * sample;
    const level = Math.sqrt(energy / FRAME);
    // Pitch only matters for loud parts.
    const pitch = level > 0.01 ? pitchOf(frame, RATE) : undefined;
    if (activity.hear(level, now * 1000, 1, pitch) === 'ended') found.push(now);
  }
  return found;
}

describe('the end of speech', () => {
  const recordings = spoken();

  it('is not detected in pauses between the words of a sentence', () => {
    let pauses = 0;
    let cuts = 0;
    for (const { samples, words } of recordings) {
      for (const word of words.slice(2)) {
        const at = Math.round(word * RATE);
        pauses++;
        const found = ends(room(1), samples.subarray(0, at), room(THINKING), samples.subarray(at), room(2));
        if (found.length > 1) cuts++;
      }
    }
    expect(pauses).toBeGreaterThan(30);
    expect(cuts / pauses).toBeLessThan(0.1);
  });

  it('is detected once after each sentence: mostly after the configured silence, always within twice that', () => {
    const waits = recordings.map(({ samples }) => {
      const found = ends(room(1), samples, room(3));
      expect(found).toHaveLength(1);
      return found[0]! - 1 - samples.length / RATE;
    });
    expect(Math.max(...waits)).toBeLessThan(2 * SILENCE + 2 * TICK);
    expect(waits.filter((wait) => wait < SILENCE + 2 * TICK).length).toBeGreaterThanOrEqual(recordings.length - 1);
  });
});

describe('pitch', () => {
  it.each([80, 120, 220, 330])('of a voice with %i Hz', (pitch) => {
    // Harmonics that decay like those of a voice.
    const samples = Float32Array.from({ length: 2048 }, (_, index) =>
      [1, 2, 3, 4, 5].reduce((sum, n) => sum + Math.sin((2 * Math.PI * pitch * n * index) / 48_000) / n, 0),
    );
    expect(pitchOf(samples, 48_000)! / pitch).toBeCloseTo(1, 1);
  });

  it('is undefined for silence and noise', () => {
    expect(pitchOf(new Float32Array(2048), 48_000)).toBeUndefined();
    expect(pitchOf(room(1).subarray(0, FRAME), RATE)).toBeUndefined();
  });
});
