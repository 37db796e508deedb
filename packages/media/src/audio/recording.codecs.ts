import { AudioSample, CustomAudioDecoder, registerDecoder, type AudioCodec, type EncodedPacket } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import { MPEGDecoder } from 'mpg123-decoder';

interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly sampleRate: number;
}
interface PacketDecoder {
  decode(packet: Uint8Array): Decoded;
  free(): void;
}

/** Decodes packets of one codec directly, without WebCodecs, which Node does not have. */
abstract class Decoder extends CustomAudioDecoder {
  private decoder?: PacketDecoder;

  protected abstract create(): Promise<PacketDecoder>;

  async init(): Promise<void> {
    this.decoder = await this.create();
  }

  decode(packet: EncodedPacket): void {
    const { channelData, sampleRate } = this.decoder!.decode(packet.data);
    if (!channelData[0]?.length) return;
    const data = mixed(channelData);
    this.onSample(
      new AudioSample({
        data,
        format: 'f32',
        numberOfChannels: 1,
        sampleRate,
        timestamp: Math.max(0, packet.timestamp),
      }),
    );
  }

  flush(): void {}

  close(): void {
    this.decoder?.free();
  }
}

class Opus extends Decoder {
  static override supports(codec: AudioCodec, { numberOfChannels }: AudioDecoderConfig): boolean {
    return codec === 'opus' && numberOfChannels <= 2;
  }

  protected async create(): Promise<PacketDecoder> {
    // Recognition needs 16 kHz, so decode to that.
    const decoder = new OpusDecoder({ channels: this.config.numberOfChannels, sampleRate: 16_000 });
    await decoder.ready;
    return { decode: (packet) => decoder.decodeFrame(packet), free: () => decoder.free() };
  }
}

class Mp3 extends Decoder {
  static override supports(codec: AudioCodec): boolean {
    return codec === 'mp3';
  }

  protected async create(): Promise<PacketDecoder> {
    const decoder = new MPEGDecoder();
    await decoder.ready;
    return { decode: (packet) => decoder.decode(packet), free: () => decoder.free() };
  }
}

// The used part of an optional package without types.
interface AacPackage {
  decoder(options: { asc?: Uint8Array }): Promise<PacketDecoder>;
}
const AAC: string = '@audio/decode-aac';
const aac = (await import(AAC).catch(() => undefined)) as AacPackage | undefined;

class Aac extends Decoder {
  static override supports(codec: AudioCodec): boolean {
    return codec === 'aac' && aac !== undefined;
  }

  protected create(): Promise<PacketDecoder> {
    const { description } = this.config;
    // Without a description the packets are ADTS frames, which are self-describing.
    return aac!.decoder(description ? { asc: bytesOf(description) } : {});
  }
}

for (const decoder of [Opus, Mp3, Aac]) registerDecoder(decoder);

function mixed(channels: readonly Float32Array[]): Float32Array {
  if (channels.length === 1) return channels[0]!.slice();
  const mono = new Float32Array(channels[0]!.length);
  for (const channel of channels) for (let at = 0; at < mono.length; at++) mono[at]! += channel[at]! / channels.length;
  return mono;
}

function bytesOf(source: NonNullable<AudioDecoderConfig['description']>): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
