import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  StreamTarget,
} from 'mediabunny';
import { FRAME_RATE, type VideoSegment } from './h264.js';
import { withDuration, withoutFragmentIndex } from './movie.duration.js';

/**
 * The color space of the frames, on which compositor and players have to agree: the default that players assume for
 * this size.
 */
const COLOURS = { primaries: 'bt709', transfer: 'bt709', matrix: 'smpte170m', fullRange: false } as const;

/**
 * Frames of the first fragment, so few that it is available soon. Later ones also end with the frame before the next
 * key frame.
 */
export const FIRST_FRAGMENT = 5;

class Track {
  private readonly video = new EncodedVideoPacketSource('avc');
  private readonly audio?: EncodedAudioPacketSource;
  private frames = 0;
  private isAudioConfigured = false;

  constructor(
    private readonly output: Output,
    hasSound: boolean,
  ) {
    output.addVideoTrack(this.video, { frameRate: FRAME_RATE });
    if (!hasSound) return;
    this.audio = new EncodedAudioPacketSource('aac');
    output.addAudioTrack(this.audio);
  }

  async addSegment({ frames, config }: VideoSegment, packets: readonly EncodedPacket[], sound?: AudioDecoderConfig) {
    if (this.frames === 0) await this.output.start();
    // Audio first: a fragment is complete when every track has more data.
    for (const packet of packets) {
      await this.audio?.add(packet, this.isAudioConfigured ? undefined : { decoderConfig: sound });
      this.isAudioConfigured = true;
    }
    for (const { data, isKey } of frames) {
      const at = this.frames / FRAME_RATE;
      const packet = new EncodedPacket(data, isKey ? 'key' : 'delta', at, 1 / FRAME_RATE);
      const decoderConfig = { ...config, colorSpace: COLOURS };
      await this.video.add(packet, this.frames === 0 ? { decoderConfig } : undefined);
      this.frames++;
    }
  }

  finalizeTrack(): Promise<void> {
    return this.output.finalize();
  }
}

/** A video written twice: as fragments while it is produced, and as a whole with its index first. */
export class Movie {
  private readonly target = new BufferTarget();
  private readonly tracks: readonly Track[];
  private isEnding = false;

  /** @param seconds how long it will be. @param write called with each piece of the fragmented form */
  constructor(hasSound: boolean, seconds: number, write: (piece: Uint8Array) => void) {
    let isBegun = false;
    const stream = new WritableStream<{ data: Uint8Array }>({
      write: ({ data }) => {
        const piece = isBegun ? data : withDuration(data, seconds);
        isBegun ||= piece !== data;
        write(this.isEnding ? withoutFragmentIndex(piece) : piece);
      },
    });
    const fragments = new Output({
      format: new Mp4OutputFormat({
        fastStart: 'fragmented',
        minimumFragmentDuration: (FIRST_FRAGMENT - 0.5) / FRAME_RATE,
      }),
      target: new StreamTarget(stream),
    });
    const whole = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target: this.target });
    this.tracks = [new Track(fragments, hasSound), new Track(whole, hasSound)];
  }

  async addSegment(
    segment: VideoSegment,
    packets: readonly EncodedPacket[] = [],
    config?: AudioDecoderConfig,
  ): Promise<void> {
    for (const track of this.tracks) await track.addSegment(segment, packets, config);
  }

  /** Completes both. @returns the whole file */
  async finalizeMovie(): Promise<Uint8Array> {
    this.isEnding = true;
    for (const track of this.tracks) await track.finalizeTrack();
    return new Uint8Array(this.target.buffer!);
  }
}
