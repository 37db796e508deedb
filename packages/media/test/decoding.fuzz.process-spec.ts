import { execFileSync } from 'node:child_process';
import { hostile } from '../../../test/support/hostile-recordings.mjs';
import { DecodingWorkerClient } from '../src/audio/decoding.worker-client.js';

/** Hostile versions of each recording. A longer proof: `HOSTILE_SEEDS=2000 npx jest decoding.fuzz.process-spec`. */
const SEEDS = Number(process.env['HOSTILE_SEEDS'] ?? 12);

describe('a recording', () => {
  const client = new DecodingWorkerClient();
  let recordings: [name: string, bytes: Buffer][];
  beforeAll(() => {
    // In a child process: encoders are ESM only.
    const output = execFileSync(process.execPath, ['test/support/recordings.mjs'], { encoding: 'utf8' });
    recordings = Object.entries(JSON.parse(output) as Record<string, string>).map(([name, bytes]) => [
      name,
      Buffer.from(bytes, 'base64'),
    ]);
  }, 30_000);
  afterAll(() => client.stop());

  const decoded = async (recording: Uint8Array) => {
    const found = { samples: 0, wrong: 0, rates: new Set<number>() };
    for await (const chunks of client.decodeRecording(recording))
      for (const { samples, sampleRate } of chunks) {
        found.samples += samples.length;
        found.wrong += samples.filter((sample) => !(Math.abs(sample) <= 1)).length;
        found.rates.add(sampleRate);
      }
    return found;
  };

  it('has samples in each container', async () => {
    expect(recordings).toHaveLength(11);
    for (const [name, recording] of recordings) {
      const { samples, rates } = await decoded(recording);
      expect([name, rates.size, samples / [...rates][0]! > 0.45]).toEqual([name, 1, true]);
    }
  });

  it(
    'with hostile headers has usable samples or none, and no thread has to be ended for it',
    async () => {
      const stop = jest.spyOn(client, 'stop');
      for (const [name, recording] of recordings)
        for (let seed = 0; seed < SEEDS; seed++) {
          const { wrong, rates } = await decoded(hostile(recording, seed));
          expect([name, seed, wrong, [...rates].filter((rate) => rate < 8000 || rate > 192_000)]).toEqual([
            name,
            seed,
            0,
            [],
          ]);
        }
      expect(stop).not.toHaveBeenCalled();
    },
    60_000 + 2000 * SEEDS,
  );
});
