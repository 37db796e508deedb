import { EncodedPacket } from 'mediabunny';
import { AacEncoder, PACKET } from './aac.encoder.js';
import type { Samples } from 'avatar-chat-media/recording-samples';

/** Audio as AAC-LC packets, encoded on demand. */
export class AacAudio {
  readonly seconds: number;
  /** Known with the first packet. */
  config?: AudioDecoderConfig;
  private readonly rate: number;
  private readonly count: number;
  private readonly encoded: Promise<void>;
  private packets: Uint8Array[] = [];
  private taken = 0;
  private isEnded = false;
  private wake: () => void = () => undefined;

  constructor(sound: Samples) {
    const { samples, sampleRate: rate } = sound;
    this.rate = rate;
    this.seconds = samples.length / rate;
    this.count = Math.ceil(samples.length / PACKET);
    const onPacket = (packet: Uint8Array, config: AudioDecoderConfig) => {
      this.config ??= config;
      this.packets.push(packet);
      this.wake();
    };
    this.encoded = AacEncoder.encode(sound, onPacket, () => !this.isEnded);
    this.encoded.catch(() => undefined); // reported to whoever takes packets
  }

  /** The packets that start before a time in seconds and have not been taken yet. @throws Error if encoding fails */
  async packetsUntil(seconds: number): Promise<EncodedPacket[]> {
    const { rate, taken } = this;
    const until = Math.min(this.count, Math.ceil((seconds * rate) / PACKET));
    while (this.packets.length < until - taken)
      await Promise.race([new Promise<void>((resolve) => (this.wake = resolve)), this.encoded]);
    this.taken = until;
    return this.packets.splice(0, until - taken).map((data, index) => {
      return new EncodedPacket(data, 'key', ((taken + index) * PACKET) / rate, PACKET / rate);
    });
  }

  /** Must be called at the end, whether or not everything was taken. */
  stopEncoding(): void {
    this.isEnded = true;
  }
}
