import type { RealtimeEvent } from './realtime.connection.js';

/** A call of a function, with its arguments as JSON. */
export interface RealtimeCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/**
 * The parts of a response: the identifier of its message, text, 16-bit mono audio at 24 kHz, calls of functions, and at its
 * end the tokens it took.
 */
export type RealtimePart =
  | { readonly item_id: string }
  | { readonly text: string }
  | { readonly sound: Buffer }
  | { readonly call: RealtimeCall }
  | { readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number } };

/** Maximum audio bytes and text characters of one response: ten minutes of speech. A piece counts as 10 ms or more. */
const MAX_SOUND = 10 * 60 * 48_000;
const MAX_TEXT = 200_000;
/** Maximum number of calls in a response, and characters of an identifier and of the arguments. */
const MAX_CALLS = 8;
const MAX_ID = 128;
const MAX_ARGUMENTS = 32_000;

/** A response in progress, for one reader. */
export class RealtimeAnswer {
  private readonly parts: RealtimePart[] = [];
  private id?: string;
  private left = { sound: MAX_SOUND, text: MAX_TEXT, calls: MAX_CALLS };
  private hasContent = false;
  private failure?: Error;
  private wake: () => void = () => undefined;
  /** Whether the server has finished it. */
  isOver = false;

  /** Handles an event. @returns whether it belongs to this response */
  take(event: RealtimeEvent): boolean {
    const { type } = event;
    if (type === 'response.created' && this.id === undefined) this.id = idOf(event.response);
    const of = type === 'response.created' || type === 'response.done' ? idOf(event.response) : event.response_id;
    if (this.id === undefined || of !== this.id) return false;
    const { type: kind } = (event.item ?? {}) as { type?: unknown };
    if (type === 'response.output_item.added' && kind !== 'function_call')
      this.add({ item_id: idOf(event.item) ?? '' });
    else if (type === 'response.output_item.done' && kind === 'function_call')
      this.addCall(event.item as RealtimeEvent);
    else if (type === 'response.output_audio_transcript.delta' || type === 'response.output_text.delta')
      this.addText(event.delta);
    else if (type === 'response.output_audio.delta') this.addSound(event.delta);
    else if (type === 'response.done') this.end(event.response as RealtimeEvent);
    return true;
  }

  /** It will not be completed. */
  fail(error: Error): void {
    this.failure ??= error;
    this.isOver = true;
    this.wake();
  }

  /** @throws Error if it is incomplete */
  async *read(signal: AbortSignal): AsyncGenerator<RealtimePart, void> {
    const stop = () => this.wake();
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        const part = this.parts.shift();
        if (part) yield part;
        else if (this.failure) throw this.failure;
        else if (this.isOver) return;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private addText(delta: unknown): void {
    if (typeof delta !== 'string' || delta === '') return;
    if ((this.left.text -= delta.length) < 0) return this.fail(new Error('The answer is too long'));
    this.hasContent = true;
    this.add({ text: delta });
  }

  private addSound(delta: unknown): void {
    if (typeof delta !== 'string' || delta === '') return;
    const sound = Buffer.from(delta, 'base64');
    if ((this.left.sound -= Math.max(480, sound.length)) < 0) return this.fail(new Error('The answer is too long'));
    this.hasContent = true;
    this.add({ sound });
  }

  private addCall({ call_id: id, name, arguments: args }: RealtimeEvent): void {
    const isText = (value: unknown, limit: number) => typeof value === 'string' && value.length <= limit;
    if (!isText(id, MAX_ID) || !isText(name, MAX_ID) || !isText(args, MAX_ARGUMENTS) || --this.left.calls < 0)
      return this.fail(new Error('The server asks for too much'));
    this.hasContent = true;
    this.add({ call: { id, name, args } as RealtimeCall });
  }

  private add(part: RealtimePart): void {
    if (this.isOver) return;
    this.parts.push(part);
    this.wake();
  }

  private end({ status, usage }: RealtimeEvent): void {
    const { input_tokens: prompt_tokens, output_tokens: completion_tokens } = (usage ?? {}) as Record<string, unknown>;
    if (isCount(prompt_tokens) && isCount(completion_tokens)) this.add({ usage: { prompt_tokens, completion_tokens } });
    // An answer that was cut for its length is still an answer.
    if (status !== 'completed' && !(status === 'incomplete' && this.hasContent))
      return this.fail(new Error('The response failed'));
    this.isOver = true;
    this.wake();
  }
}

function idOf(value: unknown): string | undefined {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}

/** Larger numbers are not believed. */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 10_000_000;
}
