/** Quieter than this is never speech. */
const LEAST = 0.012;
/** Speech is so much louder than the room. */
const ABOVE_ROOM = 3;
/** So long without a pause, in milliseconds: a click or a cough is no speech. */
const ONSET = 150;
/** How quickly the idea of the room follows what is louder, a second; what is quieter it believes at once. */
const ROOM_RISES = 0.15;

/** Finds where speech begins and ends, by loudness alone. */
export class VoiceActivity {
  speaking = false;
  private room = Infinity;
  private loudSince?: number;
  private lastLoud = 0;
  private last?: number;

  /** @param silence how long a silence ends the speech, in milliseconds */
  constructor(private readonly silence: number) {}

  /**
   * @param level root mean square, 0 to 1
   * @param now in milliseconds
   * @param factor above 1 where something else, such as the avatar, may be heard too
   * @returns what has just happened, if anything
   */
  hear(level: number, now: number, factor = 1): 'began' | 'ended' | undefined {
    const seconds = (now - (this.last ?? now)) / 1000;
    this.last = now;
    if (level < this.room) this.room = level;
    else if (!this.speaking) this.room += (level - this.room) * ROOM_RISES * seconds;
    const loud = level > factor * Math.max(LEAST, this.room * ABOVE_ROOM);
    if (loud) {
      this.lastLoud = now;
      this.loudSince ??= now;
    } else if (now - this.lastLoud > ONSET) {
      this.loudSince = undefined;
    }
    if (loud && !this.speaking && this.loudSince !== undefined && now - this.loudSince >= ONSET) {
      this.speaking = true;
      return 'began';
    }
    if (this.speaking && now - this.lastLoud >= this.silence) {
      this.speaking = false;
      this.loudSince = undefined;
      return 'ended';
    }
    return undefined;
  }
}
