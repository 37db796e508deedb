import type { SessionPorts, Stage } from './session.ports.js';

/** Measures the stages of an answer, from the end of the user's speech to the avatar's first audio. */
export class StageTimes {
  private speechEnded?: number;
  private last?: number;

  constructor(private readonly metrics: Pick<SessionPorts['metrics'], 'stages'>) {}

  /** @param silence_ms time since the end of the speech */
  turnEnded(silence_ms: number): void {
    this.last = performance.now();
    this.speechEnded = this.last - silence_ms;
    this.observe('end_of_turn', silence_ms);
  }

  transcribed(): void {
    this.step('transcription');
  }

  reached(point: 'sentence' | 'sound'): void {
    this.step(point === 'sentence' ? 'first_sentence' : 'first_sound');
    if (point !== 'sound' || this.speechEnded === undefined) return;
    this.observe('end_to_end', performance.now() - this.speechEnded);
    this.speechEnded = this.last = undefined;
  }

  /** Typed turns and greetings have no end of speech, and are not measured. */
  private step(stage: Stage): void {
    if (this.last === undefined) return;
    const now = performance.now();
    this.observe(stage, now - this.last);
    this.last = now;
  }

  private observe(stage: Stage, ms: number): void {
    this.metrics.stages.observe({ stage }, ms / 1000);
  }
}
