import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { AdtsOutputFormat, AudioSample, AudioSampleSource, NullTarget, Output } from 'mediabunny';
import type { Samples } from 'avatar-chat-media/recording-samples';

const BITRATE = 64_000;
/** Samples per AAC packet. */
export const PACKET = 1024;
/** Priming packets before those of the first audio. */
const PRIMING = 1;
/** Delay of the encoder, in packets. */
const DELAY = 2;
/** Number of packets' samples that are passed at once. */
const PORTION = 100;
/**
 * Length in seconds above which audio gets an encoder of its own, so that others do not wait for it. The others share one:
 * it takes 20 MB, and is ten times as fast as rendering.
 */
const LONG = 30;

registerAacEncoder();

/** An encoder in a worker thread. Starting one takes as long as encoding five seconds of audio, so it is reused. */
export class AacEncoder {
  private static idle?: AacEncoder;
  /** The end of the last short audio. */
  private static last: Promise<unknown> = Promise.resolve();

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
    sound: Samples,
    onPacket: (packet: Uint8Array, config: AudioDecoderConfig) => void,
    isWanted: () => boolean,
  ): Promise<void> {
    const { samples, sampleRate } = sound;
    const run = async () => (await AacEncoder.of(sampleRate)).run(samples, onPacket, isWanted);
    if (samples.length > LONG * sampleRate) return run();
    const end = AacEncoder.last.then(run);
    AacEncoder.last = end.catch(() => undefined);
    return end;
  }

  private static async of(rate: number): Promise<AacEncoder> {
    const { idle } = AacEncoder;
    AacEncoder.idle = undefined;
    if (idle?.rate === rate) return idle;
    await idle?.output.cancel();
    const encoder = new AacEncoder(rate);
    await encoder.output.start();
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
    if (left > 0 || AacEncoder.idle) await this.output.cancel();
    else AacEncoder.idle = this;
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
