import { ADTS, BufferSource, Input, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM } from 'mediabunny';
import { MonoMix } from './mono.mix.js';
import { packetsOf } from './packet.decoders.js';
import { joined } from './samples.js';
import { withKnownSizes } from './wav.js';

/** A chunk of a recording as mono samples. */
export interface Samples {
  readonly samples: Float32Array;
  /** Hz. */
  readonly sampleRate: number;
}

const FORMATS = [WAVE, OGG, WEBM, MATROSKA, MP4, QTFF, ADTS, MP3];
/** What a file may claim: its numbers become sizes and filter lengths. Hz. */
const RATES = { min: 8000, max: 192_000 };
const MAX_CHANNELS = 8;
/** Packets without audio that a recording may have, besides as many as there are with audio. */
const MAX_SILENT_PACKETS = 50;
/** Reads that a recording may take before its first packet, and for each packet, which usually takes fewer than five. */
const MAX_READS = { before: 20_000, each: 50 };
/** A track has one sample rate; a decoder may find out after some packets that it is twice the announced one. */
const MAX_RATE_CHANGES = 8;

/** A recording whose reads are counted: headers may be made so that a demultiplexer reads the same parts for ever. */
class CountedSource extends BufferSource {
  private left = MAX_READS.before;

  addPacket(): void {
    this.left += MAX_READS.each;
  }

  /** Overrides a method that is not part of the library's types; its spec fails if it is not called any more. */
  _read(...range: unknown[]): unknown {
    if (this.left-- <= 0) throw new Error('The recording is damaged');
    return (BufferSource.prototype as unknown as { _read(...range: unknown[]): unknown })._read.apply(this, range);
  }
}

/**
 * Decodes a recording packet by packet and mixes it to mono: WebM, Matroska, Ogg and MP4 with Opus, MP4 and ADTS with
 * AAC, MP3, and PCM in WAV, Matroska and MP4. Yields after every packet, also if it has no audio. Yields nothing if
 * there is no track with audio, or it is in another format.
 *
 * @throws if it is damaged
 */
export async function* samplesOf(recording: Uint8Array): AsyncGenerator<Samples, void> {
  const source = new CountedSource(withKnownSizes(recording));
  const input = new Input({ source, formats: FORMATS });
  try {
    const track = await input.getPrimaryAudioTrack();
    const config = await track?.getDecoderConfig();
    if (!track || !config || !isBetween(config.numberOfChannels, { min: 1, max: MAX_CHANNELS })) return;
    const mix = new MonoMix();
    let [silent, changes, rate] = [0, 0, 0];
    for await (const { channelData, sampleRate } of packetsOf(track, config)) {
      source.addPacket();
      const hasAudio = channelData.length > 0 && channelData[0]!.length > 0;
      silent += hasAudio ? -1 : 1;
      if (hasAudio && sampleRate !== rate) [rate, changes] = [sampleRate, changes + 1];
      if (silent > MAX_SILENT_PACKETS || changes > MAX_RATE_CHANGES || (hasAudio && !isBetween(rate, RATES)))
        throw new Error('The recording is damaged');
      yield { samples: hasAudio ? mix.mix(channelData) : new Float32Array(0), sampleRate: rate };
    }
  } finally {
    input.dispose();
  }
}

/**
 * All of a recording.
 *
 * @throws Error if it has no audio, changes its sample rate, or is too long: a small file may claim hours
 */
export async function allSamplesOf(recording: Uint8Array, maxSeconds: number): Promise<Samples> {
  const pieces: Float32Array[] = [];
  let [rate, left] = [0, maxSeconds];
  for await (const { samples, sampleRate } of samplesOf(recording)) {
    if (samples.length === 0) continue;
    rate ||= sampleRate;
    left -= samples.length / rate;
    if (left < 0 || sampleRate !== rate) throw new Error('The sound cannot be used');
    pieces.push(samples);
  }
  if (pieces.length === 0) throw new Error('There is no sound');
  return { samples: joined(pieces), sampleRate: rate };
}

function isBetween(value: number, { min, max }: typeof RATES): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
