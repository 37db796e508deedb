import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { AdtsOutputFormat, AudioSample, AudioSampleSource, NullTarget, Output } from 'mediabunny';
import type { DecodedAudio } from './mp3.js';

const BITRATE = 64_000;
/** Samples per AAC packet. */
export const PACKET = 1024;
/** Priming packets before those of the first audio. */
const PRIMING = 1;
/** Delay of the encoder, in packets. */
const DELAY = 2;
/** Number of packets' samples that are passed at once. */
const PORTION = 100;
/** Maximum number of encoders: about 20 MB each, and ten times as fast as rendering. */
const MOST = 1;
/** Length in seconds above which audio gets an encoder of its own, so that others do not wait for it. */
const LONG = 30;

registerAacEncoder();

/** An encoder in a worker thread. Starting one takes as long as encoding five seconds of audio, so it is reused. */
export class AacEncoder {
  private static readonly idle: AacEncoder[] = [];
  private static readonly waiting: (() => void)[] = [];
  private static busy = 0;

  private config?: AudioDecoderConfig;
  private readonly source: AudioSampleSource;
  private readonly output = new Output({ format: new AdtsOutputFormat(), target: new NullTarget() });
  /** Samples received before this audio, in packets, and packets returned. */
  private before = 0;
  private received = 0;
  private onPacket: (packet: Uint8Array, config: AudioDecoderConfig) => void = () => undefined;

  private constructor(private readonly rate: number) {
    this.source = new AudioSampleSource({
      codec: 'aac',
      bitrate: BITRATE,
      onEncodedPacket: ({ data }, meta) => {
        this.config ??= meta?.decoderConfig;
        // Silence flushes the rest of the previous audio.
        if (this.received++ >= this.before + PRIMING) this.onPacket(data, this.config!);
      },
    });
    this.output.addAudioTrack(this.source);
  }

  /**
   * Encodes audio, after that of earlier calls.
   *
   * @param onPacket called with each packet
   * @param isWanted whether to continue
   */
  static async encode(
    sound: DecodedAudio,
    onPacket: (packet: Uint8Array, config: AudioDecoderConfig) => void,
    isWanted: () => boolean,
  ): Promise<void> {
    const isLong = sound.samples.length > LONG * sound.rate;
    while (!isLong && AacEncoder.busy >= MOST) await new Promise<void>((resolve) => AacEncoder.waiting.push(resolve));
    if (!isLong) AacEncoder.busy++;
    try {
      await (await AacEncoder.of(sound.rate)).run(sound.samples, onPacket, isWanted);
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

  private async run(samples: Float32Array, onPacket: AacEncoder['onPacket'], isWanted: () => boolean): Promise<void> {
    const count = Math.ceil(samples.length / PACKET);
    let left = count;
    let resolveAll = (): void => undefined;
    const all = new Promise<void>((resolve) => (resolveAll = resolve));
    this.onPacket = (packet, config) => {
      if (left === 0) return;
      onPacket(packet, config);
      if (--left === 0) resolveAll();
    };
    for (let given = 0; given < count + DELAY && isWanted(); given += PORTION)
      await this.encodePortion(samples, given, Math.min(given + PORTION, count + DELAY));
    if (isWanted()) await all;
    this.before += count + DELAY;
    this.onPacket = () => undefined;
    if (left > 0 || AacEncoder.idle.length >= MOST) await this.output.cancel();
    else AacEncoder.idle.push(this);
  }

  private async encodePortion(samples: Float32Array, from: number, until: number): Promise<void> {
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
