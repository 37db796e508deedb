import {
  type AudioCodec,
  AudioSampleSink,
  EncodedPacketSink,
  type InputAudioTrack,
  PCM_AUDIO_CODECS,
} from 'mediabunny';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';

export interface DecodedPacket {
  readonly channelData: readonly Float32Array[];
  readonly sampleRate: number;
}

/** Decodes the packets of a track, in order. */
interface PacketDecoder {
  /** @throws if the packet is damaged; some decoders return nothing instead */
  decode(packet: Uint8Array): DecodedPacket;
  free(): void;
}

// The used part of an optional package without types.
interface AacPackage {
  decoder(options: { asc?: Uint8Array }): Promise<PacketDecoder>;
}
const AAC: string = '@audio/decode-aac';

/** Recognition needs 16 kHz, so Opus is decoded to that. */
const OPUS_RATE = 16_000;

/** The audio of a track, packet by packet; nothing if there is no decoder for it. @throws if a packet is damaged */
export async function* packetsOf(track: InputAudioTrack, config: AudioDecoderConfig): AsyncGenerator<DecodedPacket> {
  const codec = (await track.getCodec())!;
  if ((PCM_AUDIO_CODECS as readonly string[]).includes(codec)) return yield* pcmOf(track);
  const [decoder, sink] = [await packetDecoder(codec, config), new EncodedPacketSink(track)];
  try {
    for (let packet = decoder && (await sink.getFirstPacket()); packet; packet = await sink.getNextPacket(packet))
      yield decoder!.decode(packet.data);
  } finally {
    decoder?.free();
  }
}

async function* pcmOf(track: InputAudioTrack): AsyncGenerator<DecodedPacket> {
  for await (const sample of new AudioSampleSink(track).samples()) {
    const channelData = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
      const plane = new Float32Array(sample.numberOfFrames);
      sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
      return plane;
    });
    sample.close();
    yield { channelData, sampleRate: sample.sampleRate };
  }
}

/** @returns undefined for other codecs, and for those of optional packages that are not installed */
async function packetDecoder(codec: AudioCodec, config: AudioDecoderConfig): Promise<PacketDecoder | undefined> {
  if (codec === 'opus' && config.numberOfChannels <= 2) {
    const decoder = new OpusDecoder({ channels: config.numberOfChannels, sampleRate: OPUS_RATE });
    await decoder.ready;
    return { decode: (packet) => decoder.decodeFrame(packet), free: () => decoder.free() };
  }
  if (codec === 'mp3') {
    const decoder = new MPEGDecoder();
    await decoder.ready;
    return decoder;
  }
  if (codec !== 'aac') return undefined;
  const aac = (await import(AAC).catch(() => undefined)) as AacPackage | undefined;
  const { description } = config;
  // Without a description the packets are ADTS frames, which are self-describing.
  return aac?.decoder(description ? { asc: bytesOf(description) } : {});
}

function bytesOf(source: NonNullable<AudioDecoderConfig['description']>): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
