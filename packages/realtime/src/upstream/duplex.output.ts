import { LIVE_RATE } from 'avatar-chat-media';
import { RealtimeAnswer, type RealtimePart } from 'avatar-chat-models';

/** Servers may send their silences, too: samples below this are silent. */
const AUDIBLE = 64;
/** So long a silence, in milliseconds, ends what the server says; what nobody reads is dropped after the other. */
const PAUSE_MS = 800;
const STALE_MS = 2000;
const ID = 'answer';

/** What a full-duplex server says, which does not tell where an answer begins and ends. */
export class DuplexOutput {
  private answer = begun();
  private isRead = false;
  /** Whether what it says is dropped: up to its next pause, or, if it is muted, until its speech is wanted again. */
  isDropping = false;
  private isMuted = false;
  private pause?: NodeJS.Timeout | undefined;
  /** Characters of the current answer, seconds of it, and when something was said last, by `performance.now()`. */
  characters = 0;
  seconds = 0;
  at = 0;

  /** @param onSpeech it speaks */
  constructor(private readonly onSpeech: () => void) {}

  get isSpeaking(): boolean {
    return this.pause !== undefined;
  }

  text(delta: string): void {
    this.add('response.output_audio_transcript.delta', delta, delta.length, 0);
  }

  sound(delta: string): void {
    const bytes = Buffer.from(delta, 'base64');
    const isHeard = isAudible(bytes);
    if (!isHeard && !this.isSpeaking) return;
    if (isHeard) {
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.stop(), PAUSE_MS);
    }
    this.add('response.output_audio.delta', delta, 0, bytes.length / 2 / LIVE_RATE);
    if (isHeard) this.onSpeech();
  }

  /** Nobody is meant to hear what it says, or has said, until it is read or the user says something. */
  muteSpeech(): void {
    this.keep(false);
    this.isMuted = true;
  }

  /** The user says something: what was said before is no answer to it. */
  hearUser(): void {
    const isOver = performance.now() - this.at > PAUSE_MS;
    if (!this.isRead && (this.isMuted || isOver)) this.keep(false);
  }

  /** Whether what it says is wanted: if not, that is dropped up to its next pause. */
  keep(isWanted: boolean): void {
    this.isMuted = false;
    this.isDropping = !isWanted && this.isSpeaking;
    if (!isWanted) this.renew();
  }

  fail(error: Error): void {
    if (this.isRead) this.answer.fail(error);
    this.keep(false);
  }

  stop(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
    this.isDropping = false;
  }

  /** One answer. @param isOver asked again and again @throws Error of {@link fail} */
  async *read(isOver: () => boolean, signal: AbortSignal): AsyncGenerator<RealtimePart, void> {
    this.forgetStale();
    if (this.isMuted) this.keep(false);
    this.isRead = true;
    const { answer } = this;
    const end = () => isOver() && answer.take({ type: 'response.done', response: { id: ID, status: 'completed' } });
    const looking = setInterval(end, 100);
    const leave = () => this.keep(false);
    signal.addEventListener('abort', leave);
    try {
      yield* answer.read(signal);
    } finally {
      clearInterval(looking);
      signal.removeEventListener('abort', leave);
      this.isRead = false;
      if (!signal.aborted) this.renew();
    }
  }

  private add(type: string, delta: string, characters: number, seconds: number): void {
    if (!this.isRead) this.forgetStale();
    this.at = performance.now();
    if (this.isDropping || this.isMuted) return;
    this.characters += characters;
    this.seconds += seconds;
    this.answer.take({ type, response_id: ID, delta });
  }

  private forgetStale(): void {
    if (performance.now() - this.at > STALE_MS || this.answer.isOver) this.renew();
  }

  private renew(): void {
    this.answer = begun();
    this.characters = this.seconds = 0;
  }
}

function begun(): RealtimeAnswer {
  const answer = new RealtimeAnswer();
  answer.take({ type: 'response.created', response: { id: ID } });
  return answer;
}

function isAudible(bytes: Buffer): boolean {
  for (let at = 0; at + 1 < bytes.length; at += 2) if (Math.abs(bytes.readInt16LE(at)) >= AUDIBLE) return true;
  return false;
}
