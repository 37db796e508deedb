import { type AudioCodec, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';
import { linearOfALaw, linearOfMuLaw } from './g711.js';

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

/**
 * How the samples of each PCM codec are read: their length in bytes, and one at an offset. Not by the library, which decodes
 * ahead, however long a packet is.
 */
type Reader = readonly [bytes: number, read: (view: DataView, at: number) => number];
const PCM: Readonly<Record<string, Reader>> = {
  'pcm-u8': [1, (view, at) => view.getUint8(at) / 2 ** 7 - 1],
  'pcm-s8': [1, (view, at) => view.getInt8(at) / 2 ** 7],
  'pcm-s16': [2, (view, at) => view.getInt16(at, true) / 2 ** 15],
  'pcm-s16be': [2, (view, at) => view.getInt16(at) / 2 ** 15],
  'pcm-s24': [3, (view, at) => (view.getInt8(at + 2) * 2 ** 16 + view.getUint16(at, true)) / 2 ** 23],
  'pcm-s24be': [3, (view, at) => (view.getInt8(at) * 2 ** 16 + view.getUint16(at + 1)) / 2 ** 23],
  'pcm-s32': [4, (view, at) => view.getInt32(at, true) / 2 ** 31],
  'pcm-s32be': [4, (view, at) => view.getInt32(at) / 2 ** 31],
  'pcm-f32': [4, (view, at) => view.getFloat32(at, true)],
  'pcm-f32be': [4, (view, at) => view.getFloat32(at)],
  'pcm-f64': [8, (view, at) => view.getFloat64(at, true)],
  'pcm-f64be': [8, (view, at) => view.getFloat64(at)],
  ulaw: [1, (view, at) => linearOfMuLaw(view.getUint8(at)) / 2 ** 15],
  alaw: [1, (view, at) => linearOfALaw(view.getUint8(at)) / 2 ** 15],
};

/** The audio of a track, packet by packet; nothing if there is no decoder for it. @throws if a packet is damaged */
export async function* packetsOf(track: InputAudioTrack, config: AudioDecoderConfig): AsyncGenerator<DecodedPacket> {
  const codec = (await track.getCodec())!;
  const [decoder, sink] = [await packetDecoder(codec, config), new EncodedPacketSink(track)];
  try {
    for (let packet = decoder && (await sink.getFirstPacket()); packet; packet = await sink.getNextPacket(packet))
      yield decoder!.decode(packet.data);
  } finally {
    decoder?.free();
  }
}

/** @returns undefined for other codecs, and for those of optional packages that are not installed */
async function packetDecoder(codec: AudioCodec, config: AudioDecoderConfig): Promise<PacketDecoder | undefined> {
  const pcm = PCM[codec];
  if (pcm) return { decode: (packet) => decodePcm(packet, pcm, config), free: () => undefined };
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

function decodePcm(packet: Uint8Array, [bytes, read]: Reader, config: AudioDecoderConfig): DecodedPacket {
  const { numberOfChannels, sampleRate } = config;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const length = Math.floor(packet.byteLength / (bytes * numberOfChannels));
  const channelData = Array.from({ length: numberOfChannels }, (_, channel) => {
    const samples = new Float32Array(length);
    for (let at = 0; at < length; at++) samples[at] = read(view, (at * numberOfChannels + channel) * bytes);
    return samples;
  });
  return { channelData, sampleRate };
}

function bytesOf(source: NonNullable<AudioDecoderConfig['description']>): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
