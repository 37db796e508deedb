import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { aWav } from '../../../test/support/wav.mjs';

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

/** Two channels whose mean is silence. */
function inverted(rate: number): Buffer {
  const wav = stereo(rate);
  for (let at = 44; at < wav.length; at += 4) wav.writeInt16LE(-wav.readInt16LE(at), at + 2);
  return wav;
}

/** A field of a header with another value. */
function changed(wav: Buffer, value: number, at: number, bytes = 4): Buffer {
  const copy = Buffer.from(wav);
  copy.writeUIntLE(value, at, bytes);
  return copy;
}

const whole = aWav(16_000, SECONDS * 16_000, tone);
const sized = (riff: number, data: number) => changed(changed(whole, riff, 4), data, 40);
const rf64 = Buffer.concat([
  Buffer.from('RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0', 'latin1'),
  Buffer.alloc(28),
  sized(0, 0xffff_ffff).subarray(12),
]);
const floats = Buffer.concat([
  changed(changed(changed(whole.subarray(0, 44), 3, 20, 2), 4, 32, 2), 32, 34, 2),
  Buffer.alloc(8192),
]);
floats.writeUInt32LE(8192, 40);
[NaN, Infinity, -1e30, 0.5].forEach((value, n) => floats.writeFloatLE(value, 44 + 4 * n));

/** Frames of AAC that have a header, and nothing else. */
const headers = Buffer.from('fff150400113fc21'.repeat(200_000), 'hex');
headers.forEach((_, at) => at % 8 === 7 && (headers[at] = 0));

const box = (name: string, ...parts: (Buffer | number[])[]) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(name, 4);
  return Buffer.concat([head, content]);
};
const words = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, n) => bytes.writeUInt32BE(value, 4 * n));
  return bytes;
};

/** A movie whose chunks are the same million samples, twenty times. */
function repeated(): Buffer {
  const [length, chunks, rate] = [1_000_000, 20, 48_000];
  const entry = Buffer.alloc(28);
  entry.writeUInt16BE(1, 6);
  entry.writeUInt16BE(1, 16);
  entry.writeUInt16BE(16, 18);
  entry.writeUInt32BE(rate * 65_536, 24);
  const samples = box('mdat', Buffer.alloc(length, 0x20));
  const type = box('ftyp', Buffer.from('qt  \0\0\0\0qt  '));
  const offsets = Array.from({ length: chunks }, () => type.length + 8);
  const table = box(
    'stbl',
    box('stsd', words(0, 1), box('ulaw', entry)),
    box('stts', words(0, 1, length * chunks, 1)),
    box('stsc', words(0, 1, 1, length, 1)),
    box('stsz', words(0, 1, length * chunks)),
    box('stco', words(0, chunks, ...offsets)),
  );
  const media = box(
    'mdia',
    box('mdhd', words(0, 0, 0, rate, length * chunks, 0x55c4_0000)),
    box('hdlr', words(0), Buffer.from('mhlrsoun'), words(0, 0, 0)),
    box('minf', box('smhd', words(0, 0)), table),
  );
  const track = box('trak', box('tkhd', words(1, 0, 0, 1, 0, length * chunks, ...Array<number>(15).fill(0))), media);
  const movie = box('moov', box('mvhd', words(0, 0, 0, rate, length * chunks, ...Array<number>(20).fill(0))), track);
  return Buffer.concat([type, samples, movie]);
}

/** Streams whose length was not known when the header was written. */
const STREAMED: Readonly<Record<string, Buffer>> = {
  'both sizes 0': sized(0, 0),
  'both sizes at their maximum': sized(0xffff_ffff, 0xffff_ffff),
  'data of size 0 in a RIFF of maximum size': sized(0xffff_ffff, 0),
  'the sizes of a header alone': sized(36, 0),
  'a RIFF of size 0': sized(0, 2 * SECONDS * 16_000),
  'a RIFF of 64 bits without sizes': rf64,
};
/** Headers with numbers that no recording has. */
const HOSTILE: Readonly<Record<string, Buffer>> = Object.fromEntries([
  ...[0, 1, 7, 7999, 192_001, 2_147_483_647, 0xffff_ffff].map((rate) => [`${rate} Hz`, changed(whole, rate, 24)]),
  ...[0, 9, 65_535].map((channels) => [`${channels} channels`, changed(whole, channels, 22, 2)]),
  ['a list instead of audio', Buffer.concat([sized(48, 0).subarray(0, 44), Buffer.from('LIST\u0004\0\0\0INFO')])],
  ['frames without audio', headers],
]);

const RECORDINGS: Readonly<Record<string, Buffer>> = {
  '8000 Hz': aWav(8000, SECONDS * 8000, tone),
  '44100 Hz': aWav(44_100, SECONDS * 44_100, tone),
  '192000 Hz': aWav(192_000, SECONDS * 192_000, tone),
  stereo: stereo(48_000),
  inverted: inverted(48_000),
  floats,
  ...STREAMED,
  ...HOSTILE,
  // The last frame is a half.
  'half a frame': changed(changed(stereo(48_000).subarray(0, -2), 2, 32, 2), 4 * SECONDS * 48_000 - 2, 40),
  repeated: repeated(),
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
    const heard = (found[name] = { samples: 0, rate: 0, loudest: 0, steps: 0, held: 0 });
    const before = process.memoryUsage().arrayBuffers;
    try {
      for await (const { samples, sampleRate } of samplesOf(Buffer.from(recording, 'base64'))) {
        if (++heard.steps === 2) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          heard.held = process.memoryUsage().arrayBuffers - before;
        }
        if (samples.length === 0) continue;
        heard.samples += samples.length;
        heard.rate = sampleRate;
        heard.loudest = samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), heard.loudest);
      }
    } catch {}
  }
  process.stdout.write(JSON.stringify(found));`;

describe('the samples of a recording', () => {
  let found: Record<string, { samples: number; rate: number; loudest: number; steps: number; held: number }>;
  beforeAll(() => {
    const module = pathToFileURL('packages/media/dist/audio/recording.samples.js').href;
    const recordings = Object.entries(RECORDINGS).map(([name, bytes]) => [name, bytes.toString('base64')]);
    const input = JSON.stringify(Object.fromEntries(recordings));
    const options = { input, encoding: 'utf8', timeout: 60_000 } as const;
    found = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM, module], options),
    ) as never;
  });

  it.each([8000, 44_100, 192_000])('have its sample rate: %i', (rate) => {
    expect(found[`${rate} Hz`]).toMatchObject({ samples: SECONDS * rate, rate });
    expect(found[`${rate} Hz`]!.loudest).toBeCloseTo(0.49, 2);
  });

  it('are a mix of both channels', () => {
    expect(found['stereo']).toMatchObject({ samples: SECONDS * 48_000, rate: 48_000 });
    expect(found['stereo']!.loudest).toBeCloseTo(0.24, 2);
  });

  it('are those of the loudest channel, if the channels cancel each other out', () => {
    expect(found['inverted']).toMatchObject({ samples: SECONDS * 48_000, rate: 48_000 });
    expect(found['inverted']!.loudest).toBeCloseTo(0.49, 2);
  });

  it.each(Object.keys(STREAMED))('extend to the end of a stream: %s', (name) => {
    expect(found[name]).toMatchObject({ samples: SECONDS * 16_000, rate: 16_000 });
    expect(found[name]!.loudest).toBeCloseTo(0.49, 2);
  });

  it('are finite, and at most 1', () => {
    expect(found['floats']).toMatchObject({ samples: 2048, loudest: 1 });
  });

  it.each(Object.keys(HOSTILE))('are empty for %s', (name) => {
    expect(found[name]!.samples).toBe(0);
    expect(found[name]!.steps).toBeLessThanOrEqual(50);
  });

  it('are those before half a frame at the end', () => {
    expect(SECONDS * 48_000 - found['half a frame']!.samples).toBeLessThanOrEqual(1);
  });

  it('are decoded when they are wanted, however long a packet is', () => {
    expect(found['repeated']).toMatchObject({ samples: 20_000_000, rate: 48_000 });
    // Two steps of a million samples in four bytes, and what is made of them.
    expect(found['repeated']!.held).toBeLessThan(18_000_000);
  });

  it('are as many as there are, if it is truncated', () => {
    expect(Math.abs(found['broken off']!.samples - 16_000)).toBeLessThan(100);
  });

  it.each(Object.keys(RECORDINGS).slice(Object.keys(RECORDINGS).indexOf('nothing')))('are empty for %s', (name) => {
    expect(found[name]).toMatchObject({ samples: 0, rate: 0, loudest: 0 });
  });
});
