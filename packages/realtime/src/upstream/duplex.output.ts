import { LIVE_RATE } from 'avatar-chat-media';
import type { RealtimeEvent, RealtimePart } from 'avatar-chat-models';

/** Servers may send their silences, too: samples below this are silent. */
const AUDIBLE = 64;
/** So long a silence, in milliseconds, ends what the server says. */
const PAUSE_MS = 800;
/** What nobody reads is dropped after so long, in milliseconds. */
const STALE_MS = 2000;
/** Maximum audio bytes and characters of one answer: ten minutes of speech. */
const MAX_SOUND = 10 * 60 * LIVE_RATE * 2;
const MAX_TEXT = 200_000;

/** What a full-duplex server says, which does not tell where an answer begins and ends. */
export class DuplexOutput {
  private parts: RealtimePart[] = [];
  private left = { sound: MAX_SOUND, text: MAX_TEXT };
  private isRead = false;
  private isDropping = false;
  private pause?: NodeJS.Timeout | undefined;
  private failure?: Error | undefined;
  private wake: () => void = () => undefined;
  /** When it said something last, in milliseconds of `performance.now()`. */
  at = 0;

  /** @param onSpeech it speaks */
  constructor(private readonly onSpeech: () => void) {}

  get isSpeaking(): boolean {
    return this.pause !== undefined;
  }

  /** Whether anything of the current answer was audible. */
  get hasSaid(): boolean {
    return this.left.sound < MAX_SOUND;
  }

  /** Characters of the current answer. */
  get characters(): number {
    return MAX_TEXT - this.left.text;
  }

  take({ type, delta }: RealtimeEvent): void {
    if (typeof delta !== 'string' || delta === '') return;
    if (type === 'session.output_transcript.delta') return this.add({ text: delta });
    const sound = Buffer.from(delta, 'base64');
    if (!isAudible(sound)) return this.isSpeaking ? this.add({ sound }) : undefined;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.stop(), PAUSE_MS);
    this.add({ sound });
    this.onSpeech();
  }

  /** What it says now is not wanted, up to its next pause. */
  drop(): void {
    this.isDropping = this.isSpeaking;
    this.begin(0);
  }

  /** What follows is wanted. */
  keep(): void {
    this.isDropping = false;
  }

  fail(error: Error): void {
    this.failure = error;
    this.wake();
  }

  /** One answer. @param isOver asked from time to time, when nothing is left to read. @throws Error of {@link fail} */
  async *read(isOver: () => boolean, signal: AbortSignal): AsyncGenerator<RealtimePart, void> {
    this.begin();
    this.failure = undefined;
    this.isRead = true;
    const looking = setInterval(() => this.wake(), 100);
    const leave = () => {
      this.drop();
      this.wake();
    };
    signal.addEventListener('abort', leave);
    try {
      while (!signal.aborted) {
        const part = this.parts.shift();
        if (part) yield part;
        else if (this.failure) throw this.failure;
        else if (isOver()) return;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      clearInterval(looking);
      this.isRead = false;
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) this.begin(0);
    }
  }

  stop(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
    this.isDropping = false;
  }

  /** Forgets what was said before, unless it is new. */
  private begin(staleMs = STALE_MS): void {
    if (performance.now() - this.at < staleMs) return;
    this.parts = [];
    this.left = { sound: MAX_SOUND, text: MAX_TEXT };
  }

  private add(part: { text: string } | { sound: Buffer }): void {
    if (!this.isRead) this.begin();
    this.at = performance.now();
    if (this.isDropping) return;
    if ('text' in part) this.left.text -= part.text.length;
    else this.left.sound -= part.sound.length;
    if (this.left.text < 0 || this.left.sound < 0) return this.fail(new Error('The answer is too long'));
    this.parts.push(part);
    this.wake();
  }
}

function isAudible(bytes: Buffer): boolean {
  for (let at = 0; at + 1 < bytes.length; at += 2) if (Math.abs(bytes.readInt16LE(at)) >= AUDIBLE) return true;
  return false;
}
