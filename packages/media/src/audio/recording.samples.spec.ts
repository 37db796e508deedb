import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { aWav } from '../../../../test/support/wav.mjs';

const SECONDS = 2;
const tone = (n: number) => 16_000 * Math.sin((2 * Math.PI * 440 * n) / 8000);

/** Two channels, of which only the first has sound. */
function stereo(rate: number): Buffer {
  const wav = aWav(rate, 2 * SECONDS * rate, (n) => (n % 2 === 0 ? tone(n / 2) : 0));
  wav.writeUInt16LE(2, 22);
  wav.writeUInt32LE(rate * 4, 28);
  wav.writeUInt16LE(4, 32);
  return wav;
}

const RECORDINGS: Readonly<Record<string, Buffer>> = {
  '8000 Hz': aWav(8000, SECONDS * 8000, tone),
  '44100 Hz': aWav(44_100, SECONDS * 44_100, tone),
  stereo: stereo(48_000),
  'broken off': aWav(16_000, SECONDS * 16_000, tone).subarray(0, SECONDS * 16_000),
  nothing: Buffer.alloc(0),
  text: Buffer.from('This is no recording. '.repeat(1000)),
  'a header alone': aWav(16_000, 0, tone),
  'the name of a format': Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVE'),
  'a WebM header and garbage': Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(5000, 0xa5)]),
  'an Ogg header and garbage': Buffer.concat([Buffer.from('OggS'), Buffer.alloc(5000, 0xa5)]),
};

/** The built module, in a child process like in the service: the decoders are optional ESM-only packages. */
const PROGRAM = `
  const { samplesOf } = await import(process.argv[1]);
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const found = {};
  for (const [name, recording] of Object.entries(JSON.parse(text))) {
    const heard = (found[name] = { samples: 0, rate: 0, loudest: 0 });
    try {
      for await (const { samples, sampleRate } of samplesOf(Buffer.from(recording, 'base64'))) {
        heard.samples += samples.length;
        heard.rate = sampleRate;
        heard.loudest = samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), heard.loudest);
      }
    } catch {}
  }
  process.stdout.write(JSON.stringify(found));`;

describe('the samples of a recording', () => {
  let found: Record<string, { samples: number; rate: number; loudest: number }>;
  beforeAll(() => {
    const module = pathToFileURL('packages/media/dist/audio/recording.samples.js').href;
    const recordings = Object.entries(RECORDINGS).map(([name, bytes]) => [name, bytes.toString('base64')]);
    const input = JSON.stringify(Object.fromEntries(recordings));
    const options = { input, encoding: 'utf8', timeout: 60_000 } as const;
    found = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM, module], options),
    ) as never;
  });

  it.each([8000, 44_100])('have its sample rate: %i', (rate) => {
    expect(found[`${rate} Hz`]).toMatchObject({ samples: SECONDS * rate, rate });
    expect(found[`${rate} Hz`]!.loudest).toBeCloseTo(0.49, 2);
  });

  it('are a mix of both channels', () => {
    expect(found['stereo']).toMatchObject({ samples: SECONDS * 48_000, rate: 48_000 });
    expect(found['stereo']!.loudest).toBeCloseTo(0.24, 2);
  });

  it('are as many as there are, if it is truncated', () => {
    expect(Math.abs(found['broken off']!.samples - 16_000)).toBeLessThan(100);
  });

  it.each(Object.keys(RECORDINGS).slice(4))('are empty for %s', (name) => {
    expect(found[name]).toEqual({ samples: 0, rate: 0, loudest: 0 });
  });
});
