/** Length of a frame in milliseconds; voice activity detection decides once per frame. */
export const FRAME_MS = 32;

/** Number of speech frames, within a window, that start a turn: clicks and the beginnings of music have fewer. */
const ONSET = { speech: 5, among: 7 };
/** With push to talk, fewer are enough. */
const PUSHED_ONSET = { speech: 3, among: 4 };
/** Milliseconds of silence after which the turn may have ended. */
const PAUSE_MS = 160;
/** A level, relative to the loudest speech, below which nothing is said. */
const QUIET = 0.03;
/** A level, relative to that of a pause, at which somebody may be speaking again. */
const LOUDER = 3;
/** Maximum delay of the detection in frames, at the end of speech and at its start. */
const LATE = { end: 4, beginning: 3 };

/** Positions are frames since the beginning. */
export type TurnChange =
  | { readonly event: 'started'; readonly at: number }
  /** The turn may have ended. */
  | { readonly event: 'paused' }
  | { readonly event: 'resumed' }
  | { readonly event: 'stopped'; readonly at: number };

/** Number of frames in a silence of some milliseconds: the last frame of speech is already partly silent. */
function wholeFrames(silence_ms: number): number {
  return Math.max(1, Math.floor(silence_ms / FRAME_MS)) * FRAME_MS;
}

/** Detects turns from the voice activity of each frame. */
export class TurnDetector {
  /** Number of frames received. */
  now = 0;
  /** The end of the turn's speech so far; undefined if there is no turn. */
  private spoken?: number;
  /** Before a turn: which of the last frames are speech. */
  private recent: boolean[] = [];
  /** During a turn: the levels of the last speech frames, and of the frames in the pause since. */
  private levels: number[] = [];
  private pause: number[] = [];
  private isPaused = false;
  private loudest = 0;

  /** @param silence_ms silence that ends a turn; undefined: only {@link reset} does */
  constructor(public silence_ms?: number) {}

  /** Milliseconds since the turn's last speech; undefined without a turn. */
  get silence(): number | undefined {
    return this.spoken === undefined ? undefined : (this.now - this.spoken) * FRAME_MS;
  }

  /** @param level of the frame's audio, in any unit proportional to its amplitude */
  add(isSpeech: boolean, level: number): TurnChange | undefined {
    this.now++;
    if (this.spoken === undefined) return this.detectOnset(isSpeech, level);
    return isSpeech ? this.continueSpeech(level) : this.addSilence(level);
  }

  /** Ends the turn without an event. */
  reset(): void {
    this.spoken = undefined;
    this.recent = [];
    this.loudest = 0;
  }

  private detectOnset(isSpeech: boolean, level: number): TurnChange | undefined {
    const { speech, among } = this.silence_ms === undefined ? PUSHED_ONSET : ONSET;
    this.recent.push(isSpeech);
    if (this.recent.length > among) this.recent.shift();
    if (isSpeech) this.loudest = Math.max(this.loudest, level);
    if (this.recent.filter(Boolean).length < speech) return undefined;
    const at = this.now - this.recent.length + this.recent.indexOf(true);
    this.continueSpeech(level);
    this.isPaused = false;
    return { event: 'started', at };
  }

  private continueSpeech(level: number): TurnChange | undefined {
    const wasPaused = this.isPaused;
    // The speaker may have moved away from the microphone.
    this.loudest = Math.max(this.loudest * 0.995, level);
    this.levels = [...this.levels.slice(1 - LATE.end), level];
    [this.pause, this.isPaused, this.spoken] = [[], false, this.now];
    return wasPaused ? { event: 'resumed' } : undefined;
  }

  private addSilence(level: number): TurnChange | undefined {
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

  /** Detection reports the end of speech late: counts the nearly silent frames at the end. */
  private quietEnd(): number {
    const loud = this.levels.findLastIndex((level) => level > QUIET * this.loudest);
    return this.levels.length - 1 - loud;
  }

  /** Detection reports speech late: whether the last frames are louder, but no more of them than the delay allows. */
  private mayResume(silence: number): boolean {
    if (silence >= this.silence_ms! + LATE.beginning * FRAME_MS) return false;
    const enough = Math.max(LOUDER * Math.min(...this.pause), QUIET * this.loudest);
    const louder = this.pause.length - 1 - this.pause.findLastIndex((level) => level <= enough);
    return louder > 0 && louder <= LATE.beginning;
  }
}
