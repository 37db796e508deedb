/** The minimum level of speech. */
const MIN_LEVEL = 0.012;
/** How much louder than the background noise speech is. */
const SPEECH_TO_NOISE = 3;
/** The minimum duration without a pause, in milliseconds: a click or a cough is not speech. */
const ONSET_MS = 150;
/** How quickly the noise floor follows louder sound, per second. It follows quieter sound immediately. */
const NOISE_FLOOR_RISE = 0.15;

/** A melody with fewer pitches is not evaluated. */
const MIN_PITCHES = 5;
/** A melody has ended if this many of its last pitches are this far below its median. */
const FALLS = [
  { pitches: 5, below: 0.9 },
  { pitches: 2, below: 0.88 },
];
/** A pitch that differs from the median by more than this factor is an octave error. */
const MAX_DEVIATION = 1.6;
/** How much longer the silence must be after a melody that has not fallen: the speaker is thinking. */
const THINKING_FACTOR = 2;

/**
 * Detects the start and the end of speech. It starts with loudness and ends with a silence: of the project's length after a
 * falling melody, as at the end of a sentence, and of twice that length after a level one, as within a sentence.
 * Without a melody, as in whispering, only the project's length counts.
 */
export class VoiceActivity {
  speaking = false;
  private room = Infinity;
  private loudSince?: number;
  private lastLoud = 0;
  private last?: number;
  private pitches: number[] = [];

  /** @param silence the silence that ends speech, in milliseconds */
  constructor(private readonly silence: number) {}

  /**
   * @param level root mean square, 0 to 1
   * @param now in milliseconds
   * @param factor above 1 while something else, such as the avatar, may be audible
   * @param pitch of the voice in Hz, if there is one
   * @returns what has just happened, if anything
   */
  hear(level: number, now: number, factor = 1, pitch?: number): 'began' | 'ended' | undefined {
    const seconds = (now - (this.last ?? now)) / 1000;
    this.last = now;
    if (level < this.room) this.room = level;
    else if (!this.speaking) this.room += (level - this.room) * NOISE_FLOOR_RISE * seconds;
    const loud = level > factor * Math.max(MIN_LEVEL, this.room * SPEECH_TO_NOISE);
    if (loud) {
      this.lastLoud = now;
      this.loudSince ??= now;
      if (pitch !== undefined) this.pitches.push(pitch);
    } else if (now - this.lastLoud > ONSET_MS) {
      this.loudSince = undefined;
      if (!this.speaking) this.pitches = [];
    }
    if (loud && !this.speaking && this.loudSince !== undefined && now - this.loudSince >= ONSET_MS) {
      this.speaking = true;
      return 'began';
    }
    if (this.speaking && now - this.lastLoud >= this.silence * (this.hasFallen ? 1 : THINKING_FACTOR)) {
      this.speaking = false;
      this.pitches = [];
      this.loudSince = undefined;
      return 'ended';
    }
    return undefined;
  }

  /** Whether nobody is speaking or may have started to. */
  get silent(): boolean {
    return !this.speaking && this.loudSince === undefined;
  }

  private get hasFallen(): boolean {
    if (this.pitches.length < MIN_PITCHES) return true;
    const middle = median(this.pitches);
    const melody = this.pitches.filter((pitch) => pitch > middle / MAX_DEVIATION && pitch < middle * MAX_DEVIATION);
    return FALLS.some(({ pitches, below }) => median(melody.slice(-pitches)) < below * median(melody));
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
