import H264 from 'h264-mp4-encoder';
import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';

export const FRAME_RATE = 25;
/** Frames between key frames, which cost more than others: a second. Seeks decode from there. */
const KEY_FRAME_EVERY = FRAME_RATE;
/** Quantization, 10 to 51; lower is finer and larger. */
const QUANTIZATION = 31;
/** 0 gives the smallest result, 10 is the fastest. */
const SPEED = 10;

interface VideoFrame {
  readonly data: Uint8Array;
  readonly isKey: boolean;
}

export interface VideoSegment {
  readonly frames: readonly VideoFrame[];
  /** The same for all segments of one frame size. */
  readonly config: VideoDecoderConfig;
}

/**
 * Encodes frames as H.264 Baseline, starting with a key frame. One call at a time: concurrent encoders corrupt each
 * other's output.
 *
 * @param draw returns I420, by frame number
 * @param keyFrameEvery key frame interval
 */
export async function encodeSegment(
  size: number,
  count: number,
  draw: (index: number) => Uint8Array,
  keyFrameEvery = KEY_FRAME_EVERY,
): Promise<VideoSegment> {
  const encoder = await H264.createH264MP4Encoder();
  try {
    encoder.width = encoder.height = size;
    encoder.frameRate = FRAME_RATE;
    encoder.quantizationParameter = QUANTIZATION;
    encoder.speed = SPEED;
    encoder.groupOfPictures = keyFrameEvery;
    encoder.initialize();
    for (let index = 0; index < count; index++) encoder.addFrameYuv(draw(index));
    encoder.finalize();
    return await framesOf(encoder.FS.readFile(encoder.outputFilename));
  } finally {
    encoder.FS.unlink(encoder.outputFilename);
    encoder.delete();
  }
}

async function framesOf(mp4: Uint8Array): Promise<VideoSegment> {
  const input = new Input({ source: new BufferSource(mp4), formats: [MP4] });
  const track = (await input.getPrimaryVideoTrack())!;
  const config = (await track.getDecoderConfig())!;
  const frames: VideoFrame[] = [];
  // The encoder's file marks every frame as a key frame, so the frames themselves are checked.
  for await (const { data } of new EncodedPacketSink(track).packets()) frames.push({ data, isKey: isKeyFrame(data) });
  return { frames, config };
}

/** Whether the first unit of a frame, after its four-byte length, is an IDR picture. */
function isKeyFrame(data: Uint8Array): boolean {
  return (data[4]! & 31) === 5;
}
