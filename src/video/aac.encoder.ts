import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { AdtsOutputFormat, AudioSample, AudioSampleSource, NullTarget, Output } from 'mediabunny';
import type { DecodedSound } from './mp3.js';

const BITRATE = 64_000;
/** Samples of a packet of AAC. */
export const PACKET = 1024;
/** Packets that come before those of the first sound, which the encoder needs for its own start. */
const PRIMING = 1;
/** After how many packets' worth of samples more the packet of some samples comes. */
const DELAY = 2;
/** Packets' worth of samples that are given at once. */
const PORTION = 100;
/** Encoders at a time: about 20 MB each, and ten times as fast as a rendering. */
const MOST = 1;
/** Seconds of a sound for which others do not wait: it has an encoder besides. */
const LONG = 30;

registerAacEncoder();

/**
 * An encoder in a thread of its own. To start one takes as long as to encode five seconds of sound, so that it serves one
 * sound after the other.
 */
export class AacEncoder {
  private static readonly idle: AacEncoder[] = [];
  private static readonly waiting: (() => void)[] = [];
  private static busy = 0;

  private config?: AudioDecoderConfig;
  private readonly source: AudioSampleSource;
  private readonly output = new Output({ format: new AdtsOutputFormat(), target: new NullTarget() });
  /** Packets' worth of samples that it has been given before this sound, and packets that have come. */
  private before = 0;
  private come = 0;
  private take: (packet: Uint8Array, config: AudioDecoderConfig) => void = () => undefined;

  private constructor(private readonly rate: number) {
    this.source = new AudioSampleSource({
      codec: 'aac',
      bitrate: BITRATE,
      onEncodedPacket: ({ data }, meta) => {
        this.config ??= meta?.decoderConfig;
        // What is left of the sound before is silence.
        if (this.come++ >= this.before + PRIMING) this.take(data, this.config!);
      },
    });
    this.output.addAudioTrack(this.source);
  }

  /**
   * Encodes a sound, after those that came before.
   *
   * @param take called with each packet
   * @param isWanted whether to go on
   */
  static async encode(
    sound: DecodedSound,
    take: (packet: Uint8Array, config: AudioDecoderConfig) => void,
    isWanted: () => boolean,
  ): Promise<void> {
    const isLong = sound.samples.length > LONG * sound.rate;
    while (!isLong && AacEncoder.busy >= MOST) await new Promise<void>((resolve) => AacEncoder.waiting.push(resolve));
    if (!isLong) AacEncoder.busy++;
    try {
      await (await AacEncoder.of(sound.rate)).run(sound.samples, take, isWanted);
    } finally {
      if (!isLong) AacEncoder.busy--;
      AacEncoder.waiting.shift()?.();
    }
  }

  private static async of(rate: number): Promise<AacEncoder> {
    const free = AacEncoder.idle.splice(0);
    const found = free.findIndex((one) => one.rate === rate);
    const [encoder = new AacEncoder(rate)] = found < 0 ? [] : free.splice(found, 1);
    for (const other of free)
      if (other.rate === rate) AacEncoder.idle.push(other);
      else await other.output.cancel();
    if (found < 0) await encoder.output.start();
    return encoder;
  }

  private async run(samples: Float32Array, take: AacEncoder['take'], isWanted: () => boolean): Promise<void> {
    const count = Math.ceil(samples.length / PACKET);
    let left = count;
    let tellAll = (): void => undefined;
    const all = new Promise<void>((resolve) => (tellAll = resolve));
    this.take = (packet, config) => {
      if (left === 0) return;
      take(packet, config);
      if (--left === 0) tellAll();
    };
    for (let given = 0; given < count + DELAY && isWanted(); given += PORTION)
      await this.give(samples, given, Math.min(given + PORTION, count + DELAY));
    if (isWanted()) await all;
    this.before += count + DELAY;
    this.take = () => undefined;
    if (left > 0 || AacEncoder.idle.length >= MOST) await this.output.cancel();
    else AacEncoder.idle.push(this);
  }

  private async give(samples: Float32Array, from: number, until: number): Promise<void> {
    const data = new Float32Array((until - from) * PACKET);
    data.set(samples.subarray(from * PACKET, until * PACKET));
    const sample = new AudioSample({
      data,
      format: 'f32-planar',
      numberOfChannels: 1,
      sampleRate: this.rate,
      timestamp: ((this.before + from) * PACKET) / this.rate,
    });
    await this.source.add(sample);
    sample.close();
  }
}
