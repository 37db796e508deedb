/** Quieter than this is never speech. */
const LEAST = 0.012;
/** Speech is so much louder than the room. */
const ABOVE_ROOM = 3;
/** So long without a pause, in milliseconds: a click or a cough is no speech. */
const ONSET = 150;
/** How quickly the idea of the room follows what is louder, a second; what is quieter it believes at once. */
const ROOM_RISES = 0.15;

/** A melody of fewer pitches is not judged. */
const FEWEST = 5;
/** A melody has come to its end if so many of its last pitches lie so far below its middle. */
const FALLS = [
  { pitches: 5, below: 0.9 },
  { pitches: 2, below: 0.88 },
];
/** What is so many times higher or lower than the middle is not the melody: a period taken for two, or half of one. */
const MISHEARD = 1.6;
/** How much longer a silence must be after a melody that has not fallen: the speaker thinks. */
const THINKING = 2;

/**
 * Finds where speech begins and ends. It begins with loudness. It ends with a silence: as long as the project says after a
 * falling melody, as at the end of a sentence, and twice as long after one that stays where it was, as in the middle.
 * Where no melody is heard, as in whispering, the silence alone counts.
 */
export class VoiceActivity {
  speaking = false;
  private room = Infinity;
  private loudSince?: number;
  private lastLoud = 0;
  private last?: number;
  private pitches: number[] = [];

  /** @param silence how long a silence ends the speech, in milliseconds */
  constructor(private readonly silence: number) {}

  /**
   * @param level root mean square, 0 to 1
   * @param now in milliseconds
   * @param factor above 1 where something else, such as the avatar, may be heard too
   * @param pitch of the voice in Hz, if there is one
   * @returns what has just happened, if anything
   */
  hear(level: number, now: number, factor = 1, pitch?: number): 'began' | 'ended' | undefined {
    const seconds = (now - (this.last ?? now)) / 1000;
    this.last = now;
    if (level < this.room) this.room = level;
    else if (!this.speaking) this.room += (level - this.room) * ROOM_RISES * seconds;
    const loud = level > factor * Math.max(LEAST, this.room * ABOVE_ROOM);
    if (loud) {
      this.lastLoud = now;
      this.loudSince ??= now;
      if (pitch !== undefined) this.pitches.push(pitch);
    } else if (now - this.lastLoud > ONSET) {
      this.loudSince = undefined;
      if (!this.speaking) this.pitches = [];
    }
    if (loud && !this.speaking && this.loudSince !== undefined && now - this.loudSince >= ONSET) {
      this.speaking = true;
      return 'began';
    }
    if (this.speaking && now - this.lastLoud >= this.silence * (this.hasFallen ? 1 : THINKING)) {
      this.speaking = false;
      this.pitches = [];
      this.loudSince = undefined;
      return 'ended';
    }
    return undefined;
  }

  /** Whether nobody speaks, or may have begun to. */
  get silent(): boolean {
    return !this.speaking && this.loudSince === undefined;
  }

  private get hasFallen(): boolean {
    if (this.pitches.length < FEWEST) return true;
    const middle = median(this.pitches);
    const melody = this.pitches.filter((pitch) => pitch > middle / MISHEARD && pitch < middle * MISHEARD);
    return FALLS.some(({ pitches, below }) => median(melody.slice(-pitches)) < below * median(melody));
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
