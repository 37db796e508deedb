/** Milliseconds of a frame, of which voice activity detection decides as a whole. */
export const FRAME_MS = 32;

/** Frames of speech, and among how many, that begin a turn: clicks and the beginnings of music have fewer. */
const ONSET = { speech: 5, among: 7 };
/** Where a button tells that somebody speaks, fewer will do. */
const PUSHED_ONSET = { speech: 3, among: 4 };
/** Milliseconds of silence after which the turn may be over. */
const PAUSE_MS = 160;
/** Compared with the loudest speech, a level below which nothing is said. */
const QUIET = 0.03;
/** Compared with the level of a pause, one at which somebody may be speaking again. */
const LOUDER = 3;
/** Frames by which detection is late, at most, at the end of speech and at its beginning. */
const LATE = { end: 4, beginning: 3 };

/** Positions are frames since the beginning. */
export type TurnChange =
  | { readonly event: 'started'; readonly at: number }
  /** The turn may be over. */
  | { readonly event: 'paused' }
  | { readonly event: 'resumed' }
  | { readonly event: 'stopped'; readonly at: number };

/** The frames of a silence, in milliseconds: the last frame of speech is already silent in part. */
function wholeFrames(silence_ms: number): number {
  return Math.max(1, Math.floor(silence_ms / FRAME_MS)) * FRAME_MS;
}

/** Finds turns in what voice activity detection says of each frame. */
export class TurnRule {
  /** Frames that have come. */
  now = 0;
  /** Where the speech of the turn has ended so far; undefined while there is no turn. */
  private spoken?: number;
  /** Before a turn, which of the last frames are speech. */
  private recent: boolean[] = [];
  /** In a turn, the levels of the last frames that are speech, and of those of the pause since. */
  private levels: number[] = [];
  private pause: number[] = [];
  private isPaused = false;
  private loudest = 0;

  /** @param silence_ms what ends a turn; undefined: nothing but {@link reset} */
  constructor(public silence_ms?: number) {}

  /** Milliseconds since the last speech of the turn; undefined if there is none. */
  get silence(): number | undefined {
    return this.spoken === undefined ? undefined : (this.now - this.spoken) * FRAME_MS;
  }

  /** @param level of the frame's sound, in any unit that is proportional to its amplitude */
  add(isSpeech: boolean, level: number): TurnChange | undefined {
    this.now++;
    if (this.spoken === undefined) return this.begin(isSpeech, level);
    return isSpeech ? this.goOn(level) : this.wait(level);
  }

  /** Ends the turn without a word. */
  reset(): void {
    this.spoken = undefined;
    this.recent = [];
    this.loudest = 0;
  }

  private begin(isSpeech: boolean, level: number): TurnChange | undefined {
    const { speech, among } = this.silence_ms === undefined ? PUSHED_ONSET : ONSET;
    this.recent.push(isSpeech);
    if (this.recent.length > among) this.recent.shift();
    if (isSpeech) this.loudest = Math.max(this.loudest, level);
    if (this.recent.filter(Boolean).length < speech) return undefined;
    const at = this.now - this.recent.length + this.recent.indexOf(true);
    this.goOn(level);
    this.isPaused = false;
    return { event: 'started', at };
  }

  private goOn(level: number): TurnChange | undefined {
    const wasPaused = this.isPaused;
    // Who is far from the microphone now may have been close to it before.
    this.loudest = Math.max(this.loudest * 0.995, level);
    this.levels = [...this.levels.slice(1 - LATE.end), level];
    [this.pause, this.isPaused, this.spoken] = [[], false, this.now];
    return wasPaused ? { event: 'resumed' } : undefined;
  }

  private wait(level: number): TurnChange | undefined {
    if (this.pause.length === 0) this.spoken! -= this.quietEnd();
    this.pause.push(level);
    const silence = this.silence!;
    if (this.silence_ms !== undefined && silence >= wholeFrames(this.silence_ms) && !this.mayResume(silence)) {
      const at = this.spoken! + wholeFrames(this.silence_ms) / FRAME_MS;
      this.reset();
      return { event: 'stopped', at };
    }
    if (this.isPaused || silence < PAUSE_MS) return undefined;
    this.isPaused = true;
    return { event: 'paused' };
  }

  /** Detection notices the end of speech late: the frames at the end in which there was hardly any sound. */
  private quietEnd(): number {
    const loud = this.levels.findLastIndex((level) => level > QUIET * this.loudest);
    return this.levels.length - 1 - loud;
  }

  /** Detection notices speech late: whether the last frames are louder, but no more of them than may be speech. */
  private mayResume(silence: number): boolean {
    if (silence >= this.silence_ms! + LATE.beginning * FRAME_MS) return false;
    const enough = Math.max(LOUDER * Math.min(...this.pause), QUIET * this.loudest);
    const louder = this.pause.length - 1 - this.pause.findLastIndex((level) => level <= enough);
    return louder > 0 && louder <= LATE.beginning;
  }
}
