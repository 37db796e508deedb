/** Small recordings in all containers that are read. As a program it prints them as JSON, in Base64. */
import { fileURLToPath } from 'node:url';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import {
  AdtsOutputFormat,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  WebMOutputFormat,
} from 'mediabunny';
import { createMp3Encoder } from 'wasm-media-encoders';
import { aWav } from './wav.mjs';

const RATE = 16_000;
const SAMPLES = RATE / 2;
const tone = (/** @type {number} */ n) => 0.3 * Math.sin(n / 5);
/** 20 ms of silence as Opus, mono. */
const OPUS = Uint8Array.of(0xf8, 0xff, 0xfe);

/** @returns {Promise<Record<string, Uint8Array>>} by container and codec */
export async function recordings() {
  registerAacEncoder();
  return {
    wav: aWav(RATE, SAMPLES, (n) => 32_767 * tone(n)),
    mp3: await mp3(),
    'ogg, opus': await opusIn(new OggOutputFormat()),
    'webm, opus': await opusIn(new WebMOutputFormat()),
    'matroska, opus': await opusIn(new MkvOutputFormat()),
    'matroska, pcm': await encodedIn(new MkvOutputFormat(), 'pcm-s16'),
    'mp4, opus': await opusIn(new Mp4OutputFormat()),
    'mp4, aac': await encodedIn(new Mp4OutputFormat(), 'aac'),
    'mp4, aac, fragments': await encodedIn(new Mp4OutputFormat({ fastStart: 'fragmented' }), 'aac'),
    'mov, pcm': await encodedIn(new MovOutputFormat(), 'pcm-s16'),
    adts: await encodedIn(new AdtsOutputFormat(), 'aac'),
  };
}

async function mp3() {
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 1, sampleRate: RATE, bitrate: 48 });
  const sound = Float32Array.from({ length: SAMPLES }, (_, n) => tone(n));
  return Buffer.concat([encoder.encode([sound]).slice(), encoder.finalize().slice()]);
}

/** @param {import('mediabunny').OutputFormat} format */
async function opusIn(format) {
  const source = new EncodedAudioPacketSource('opus');
  return written(format, source, async () => {
    const decoderConfig = { codec: 'opus', numberOfChannels: 1, sampleRate: 48_000, description: opusHead() };
    for (let n = 0; n < 25; n++)
      await source.add(new EncodedPacket(OPUS, 'key', n / 50, 1 / 50), n === 0 ? { decoderConfig } : undefined);
  });
}

function opusHead() {
  const head = Buffer.alloc(19);
  head.write('OpusHead');
  head[8] = 1;
  head[9] = 1;
  head.writeUInt32LE(48_000, 12);
  return new Uint8Array(head);
}

/** @param {import('mediabunny').OutputFormat} format @param {'aac' | 'pcm-s16'} codec */
async function encodedIn(format, codec) {
  const source = new AudioSampleSource(codec === 'aac' ? { codec, bitrate: 64_000 } : { codec });
  return written(format, source, async () => {
    const data = Float32Array.from({ length: SAMPLES }, (_, n) => tone(n));
    const sample = new AudioSample({ data, format: 'f32', numberOfChannels: 1, sampleRate: RATE, timestamp: 0 });
    await source.add(sample);
    sample.close();
  });
}

/** @param {import('mediabunny').OutputFormat} format @param {any} source @param {() => Promise<void>} fill */
async function written(format, source, fill) {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  output.addAudioTrack(source);
  await output.start();
  await fill();
  await output.finalize();
  return new Uint8Array(/** @type {ArrayBuffer} */ (target.buffer));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = Object.entries(await recordings()).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  // Encoders run in threads that do not end by themselves.
  process.stdout.write(JSON.stringify(Object.fromEntries(all)), () => process.exit());
}
