/** A loudspeaker that has just begun to sound knows its latency then. */
const SETTLED_SECONDS = 0.5;

/**
 * How much later than it is played something is heard. Firefox asks another process for that, waits for the answer, and may
 * wait for ever: so it is asked twice for each sound, not for each frame.
 */
export class OutputLatency {
  /** In seconds. */
  seconds = 0;
  private since = 0;
  private isSettled = false;

  /** @param context an `AudioContext` */
  constructor(private readonly context: { readonly currentTime: number; readonly outputLatency: number }) {}

  /** Something begins to sound. */
  begin(): void {
    this.since = this.context.currentTime;
    this.measure();
    this.isSettled = false;
  }

  /** To be called while it sounds. */
  follow(): void {
    if (this.isSettled || this.context.currentTime - this.since < SETTLED_SECONDS) return;
    this.isSettled = true;
    this.measure();
  }

  private measure(): void {
    this.seconds = this.context.outputLatency || 0;
  }
}
