import { EncodedPacket } from 'mediabunny';
import { AacEncoder, PACKET } from './aac.encoder.js';
import type { DecodedSound } from './mp3.js';

/** A sound as packets of AAC-LC, encoded while they are asked for. */
export class AacSound {
  readonly seconds: number;
  /** Known when the first packet is. */
  config?: AudioDecoderConfig;
  private readonly rate: number;
  private readonly count: number;
  private readonly encoded: Promise<void>;
  private packets: Uint8Array[] = [];
  private taken = 0;
  private isEnded = false;
  private wake: () => void = () => undefined;

  constructor(sound: DecodedSound) {
    const { samples, rate } = sound;
    this.rate = rate;
    this.seconds = samples.length / rate;
    this.count = Math.ceil(samples.length / PACKET);
    const take = (packet: Uint8Array, config: AudioDecoderConfig) => {
      this.config ??= config;
      this.packets.push(packet);
      this.wake();
    };
    this.encoded = AacEncoder.encode(sound, take, () => !this.isEnded);
    this.encoded.catch(() => undefined); // whoever takes packets is told
  }

  /** The packets that begin before a time in seconds and have not been taken yet. @throws Error where it cannot be encoded */
  async takeUntil(seconds: number): Promise<EncodedPacket[]> {
    const { rate, taken } = this;
    const until = Math.min(this.count, Math.ceil((seconds * rate) / PACKET));
    while (this.packets.length < until - taken)
      await Promise.race([new Promise<void>((resolve) => (this.wake = resolve)), this.encoded]);
    this.taken = until;
    return this.packets.splice(0, until - taken).map((data, index) => {
      return new EncodedPacket(data, 'key', ((taken + index) * PACKET) / rate, PACKET / rate);
    });
  }

  /** Has to be called in the end, whether all has been taken or not. */
  end(): void {
    this.isEnded = true;
  }
}
