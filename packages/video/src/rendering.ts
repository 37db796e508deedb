import { movedBy, type Pose, poseAt } from './face/pose.js';
import { MouthTimes, type SpokenPhoneme } from './face/mouth.js';
import { allSamplesOf } from 'avatar-chat-media/recording-samples';
import { AacAudio } from './aac.audio.js';
import type { Compositor } from './frames/compositor.js';
import { encodeSegment, FRAME_RATE } from './h264.js';
import { FIRST_FRAGMENT, Movie } from './movie.js';

/**
 * Frames of the first fragments, whose segments have one more: the key frame that ends a fragment. Others are whole
 * segments of a second.
 */
const FIRST_FRAGMENTS = [FIRST_FRAGMENT, 2 * FIRST_FRAGMENT, FRAME_RATE] as const;
/**
 * More than the mouth moves at most every few frames, and only if the change is at least this many pixels: it costs
 * twice as much.
 */
const FRAMES_OF_A_POSE = 2;
const SEEN_MOVE = 1;
/** A small file may claim hours. */
const MAX_SECONDS = 1200;

/** A rendering, one segment at a time, so that others can run in between. */
export class Rendering {
  private readonly movie: Movie;
  private readonly mouths: MouthTimes;
  private readonly frames: number;
  private next = 0;
  private steps = 0;
  private pose?: Pose;

  private constructor(
    private readonly compositor: Compositor,
    private readonly sound: AacAudio,
    phonemes: readonly SpokenPhoneme[],
    write: (piece: Uint8Array) => void,
  ) {
    this.mouths = new MouthTimes(phonemes, (mouth) => compositor.has(mouth));
    this.frames = Math.max(1, Math.ceil(sound.seconds * FRAME_RATE));
    this.movie = new Movie(true, this.frames / FRAME_RATE, write);
  }

  /** @param write called with each piece of the fragmented form. @throws Error if the audio cannot be decoded */
  static async create(
    compositor: Compositor,
    mp3: Uint8Array,
    phonemes: readonly SpokenPhoneme[],
    write: (piece: Uint8Array) => void,
  ): Promise<Rendering> {
    return new Rendering(compositor, new AacAudio(await allSamplesOf(mp3, MAX_SECONDS)), phonemes, write);
  }

  /** Seconds completed. */
  get progress(): number {
    return this.next / FRAME_RATE;
  }

  /** Renders one segment. @returns the whole file after the last */
  async renderSegment(): Promise<Uint8Array | undefined> {
    const { compositor, next, frames } = this;
    const fragment = FIRST_FRAGMENTS[this.steps++];
    const count = Math.min(fragment === undefined ? FRAME_RATE : fragment + 1, frames - next);
    const segment = await encodeSegment(compositor.size, count, (index) => this.draw(next + index), fragment);
    this.next += count;
    const isLast = this.next >= this.frames;
    const packets = await this.sound.packetsUntil(isLast ? Infinity : this.progress);
    await this.movie.addSegment(segment, packets, this.sound.config);
    return isLast ? this.movie.finalizeMovie() : undefined;
  }

  /** Call it after the last step, even if that failed. */
  stop(): void {
    this.sound.stopEncoding();
  }

  private draw(frame: number): Uint8Array {
    if (!this.pose || frame % FRAMES_OF_A_POSE === 0) {
      const pose = poseAt(frame / FRAME_RATE);
      if (!this.pose || movedBy(this.pose, pose) >= SEEN_MOVE * this.compositor.unit) this.pose = pose;
    }
    // At the middle of the frame's display time.
    return this.compositor.draw(this.pose, this.mouths.seenAt((frame + 0.5) / FRAME_RATE));
  }
}
