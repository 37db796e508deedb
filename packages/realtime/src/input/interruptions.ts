import { isMoreThanBackchannel } from './backchannels.js';
import type { LiveResponse } from '../response/live.response.js';
import { SpeechTimer } from './speech.timer.js';

/**
 * How long the user may speak over the avatar, in milliseconds, before it stops even though no word has been
 * recognized.
 */
const SPEECH_LIMIT_MS = 700;
/** How long the avatar is silent at most, in milliseconds, for the transcript of shorter speech. */
const TRANSCRIPT_LIMIT_MS = 2000;

type Interruptible = Pick<LiveResponse, 'pause' | 'resume' | 'cancel'>;

export interface InterruptionOptions {
  /** The response in progress. */
  response(): Interruptible | undefined;
  /** Whether the user may interrupt. */
  isAllowed(): boolean;
  /** Called for each interruption. */
  onInterruption(): void;
}

/**
 * Decides whether what the user says over the avatar interrupts it. Until then the avatar pauses. Methods correspond to
 * the events of speech recognition.
 */
export class Interruptions {
  /** Whether the user is speaking. */
  isSpeaking = false;
  /** The item of what the user is saying, unless it has interrupted a response. */
  private speaking?: string | undefined;
  /** Items of speech over the avatar whose transcripts are pending, with the response that they may still interrupt. */
  private readonly pending = new Map<string, Interruptible | undefined>();
  private readonly limit = new SpeechTimer(SPEECH_LIMIT_MS, () => this.interrupt());
  private patience?: NodeJS.Timeout;

  constructor(private readonly options: InterruptionOptions) {}

  started(item_id: string): void {
    this.isSpeaking = true;
    this.speaking = item_id;
    this.consider();
  }

  /** To be called when a response starts: the user may be speaking. */
  consider(): void {
    const response = this.options.response();
    if (this.speaking === undefined || !response || !this.options.isAllowed()) return;
    this.pending.set(this.speaking, response);
    response.pause();
    clearTimeout(this.patience);
    this.limit.start();
  }

  paused(): void {
    this.limit.pause();
  }

  resumed(): void {
    this.limit.resume();
  }

  /** @param isTranscribed whether the transcript follows */
  stopped(isTranscribed: boolean): void {
    this.isSpeaking = false;
    this.speaking = undefined;
    if (!isTranscribed) this.pending.clear();
    if (this.pending.size === 0) return this.dismiss();
    this.limit.clear();
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.options.response()?.resume(), TRANSCRIPT_LIMIT_MS);
  }

  /** @returns whether it will count as a turn: what may be only a backchannel over the avatar is not told yet */
  partial(item_id: string, text: string): boolean {
    if (!isMoreThanBackchannel(text)) return !this.pending.has(item_id);
    if (this.isOverResponse(item_id) && this.pending.delete(item_id)) this.interrupt();
    return true;
  }

  /** @returns whether the final transcript counts as a turn: not if it is empty, nor if it is only a backchannel over the avatar */
  final(item_id: string, text: string | undefined): boolean {
    const isInterruption = this.isOverResponse(item_id);
    const wasOverAvatar = this.pending.delete(item_id);
    if (!text || (wasOverAvatar && !isMoreThanBackchannel(text))) {
      if (this.pending.size === 0) this.dismiss();
      return false;
    }
    if (isInterruption) this.interrupt();
    return true;
  }

  /** There is nothing to interrupt, or it is not interrupted: the avatar goes on. */
  dismiss(): void {
    this.limit.clear();
    clearTimeout(this.patience);
    this.options.response()?.resume();
  }

  private isOverResponse(item_id: string): boolean {
    const response = this.options.response();
    return response !== undefined && this.pending.get(item_id) === response;
  }

  private interrupt(): void {
    this.limit.clear();
    clearTimeout(this.patience);
    this.speaking = undefined;
    for (const item_id of this.pending.keys()) this.pending.set(item_id, undefined);
    this.options.onInterruption();
    this.options.response()!.cancel('turn_detected');
  }
}
