import { randomBytes } from 'node:crypto';
import { MAX_REQUEST } from 'avatar-chat-models';

/**
 * Items kept per session, and characters of all their texts; those added first are dropped, wherever they stand. The user's
 * history is in the database, not here.
 */
const MAX_ITEMS = 500;
const MAX_CHARACTERS = 250_000;
/** Pictures kept per session, those added last; each fits in one message. */
const MAX_IMAGES = 4;

/** An avatar's answer, while it can still be truncated. */
export interface Truncatable {
  /**
   * Keeps only the words that end by then, and stops the answer.
   *
   * @returns where it is truncated, in milliseconds of its audio
   */
  truncate(audio_end_ms: number): Promise<number>;
}

/** A model's call of a function of the client. */
export interface FunctionCall {
  readonly name: string;
  readonly call_id: string;
}

/** A message, a function call or its result. */
export interface Item {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system' | 'developer' | 'tool';
  status: 'in_progress' | 'completed' | 'incomplete';
  /** Typed text or transcript, arguments of a call, or its result; null while it is transcribed. */
  text: string | null;
  readonly spoken: boolean;
  /** Pictures that the user shows, as `data:` URLs; of earlier items they are dropped. */
  images?: readonly string[];
  /** If it is a function call. */
  readonly call?: FunctionCall;
  /** If it is a result: the call. */
  readonly result_of?: string;
  /** Whether the client told it as context: then it is no part of the history, and reaches a model only if it may. */
  isSeeded?: boolean;
  /** For a user's item: whether it has been answered, or is being answered. */
  answered?: boolean;
  /** The stored message, if its `_id` is another one: of a user's item the answer, of an avatar's what it speaks. */
  message_id?: string;
  /** For a stored user's item: the last of those that were stored as one message. */
  storedWith?: string;
  /** For a user's item: whether the user went on before an answer had begun. */
  isContinued?: boolean;
  /** Its identifier at the upstream server, if there is one. */
  upstream?: { readonly item_id?: string };
  /** For an avatar's item. */
  answer?: Truncatable;
}

/** The items of a session, in order. */
export class Conversation {
  readonly id = `conv_${randomBytes(12).toString('base64url')}`;
  private readonly items: Item[] = [];
  /** The same, in the order in which they were added. */
  private readonly added = new Set<Item>();
  private readonly removed = new WeakSet<Item>();
  /** What clients have deleted, by messages. The identifier of an answer is also that of its message. */
  readonly deleted = { answers: new Set<string>(), asked: new Set<string>() };

  /** Whether the user has said anything. */
  get hasUserItems(): boolean {
    return this.items.some(({ role }) => role === 'user');
  }

  hasCall(call_id: string): boolean {
    return this.items.some(({ call }) => call?.call_id === call_id);
  }

  /** In order. */
  get all(): readonly Item[] {
    return this.items;
  }

  find(id: unknown): Item | undefined {
    return this.items.find((item) => item.id === id);
  }

  /**
   * @param after the item that it follows, `root` for the beginning; by default the last
   * @returns the identifier of the previous item, or null
   */
  add(item: Item, after?: string): string | null {
    const before = after === undefined ? this.items.length : after === 'root' ? 0 : this.positionOf(after) + 1;
    this.items.splice(before, 0, item);
    this.added.add(item);
    const previous = this.items[before - 1]?.id ?? null;
    this.markReplayed();
    this.dropOldest();
    this.dropOldImages();
    return previous;
  }

  remove(id: string): void {
    const item = this.find(id);
    if (!item) return;
    this.drop(item);
    this.removed.add(item);
    this.deleteStored(item);
  }

  private drop(item: Item): void {
    this.items.splice(this.items.indexOf(item), 1);
    this.added.delete(item);
  }

  /** @param message_id the answer to these items, or what they speak */
  setMessage(items: readonly Item[], message_id: string): void {
    for (const item of items) item.message_id ??= message_id;
    for (const item of items) if (this.removed.has(item)) this.deleteStored(item);
  }

  private deleteStored({ id, answer, message_id }: Item): void {
    if (answer) this.deleted.answers.add(message_id ?? id);
    // What several items say is stored as one message.
    else if (message_id !== undefined && !this.items.some((item) => item.message_id === message_id))
      this.deleted.asked.add(message_id);
  }

  /** The identifier of the previous item, or null. */
  previousOf(id: string): string | null {
    return this.items[this.positionOf(id) - 1]?.id ?? null;
  }

  /** The identifier of the last item, or null. */
  get lastId(): string | null {
    return this.items.at(-1)?.id ?? null;
  }

  /** The user's items that have not been answered. */
  get unanswered(): Item[] {
    return this.items.filter(({ role, answered, text }) => role === 'user' && !answered && text);
  }

  /** What the user said before an answer that the client replays has been answered, in another session. */
  private markReplayed(): void {
    const last = this.items.findLastIndex(({ role, isSeeded, call }) => role === 'assistant' && isSeeded && !call);
    for (const item of this.items.slice(0, Math.max(0, last)))
      if (item.role === 'user' && !item.answered) item.answered = item.isSeeded = true;
  }

  /** The texts are counted each time, since those of earlier items change: transcripts arrive, answers grow. */
  private dropOldest(): void {
    let characters = this.items.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
    for (const item of this.added) {
      if (this.items.length <= MAX_ITEMS && characters <= MAX_CHARACTERS) return;
      characters -= item.text?.length ?? 0;
      this.drop(item);
    }
  }

  private dropOldImages(): void {
    let left = MAX_IMAGES;
    for (const item of [...this.added].reverse()) if ((left -= item.images?.length ?? 0) < 0) delete item.images;
  }

  private positionOf(id: string): number {
    return this.items.findIndex((item) => item.id === id);
  }
}

/**
 * Items to store as one message before the answer: the first of the unanswered ones that are not stored yet, as many as it
 * can hold, or, if all are stored, the last message again.
 */
export function itemsToStore(items: readonly Item[]): readonly Item[] {
  const fresh = items.filter(({ storedWith }) => storedWith === undefined);
  if (fresh.length === 0) return items.filter(({ storedWith }) => storedWith === items.at(-1)!.storedWith);
  let length = -1;
  const next = fresh.findIndex(({ text }) => (length += [...text!].length + 1) > MAX_REQUEST);
  return next < 0 ? fresh : fresh.slice(0, Math.max(1, next));
}

/**
 * What the user said right before a message of these items, and went on: the engine is asked both, as far as both fit in
 * one request.
 */
export function textBefore(items: readonly Item[], message: readonly Item[]): string | undefined {
  let left = MAX_REQUEST - message.reduce((sum, { text }) => sum + [...text!].length + 1, 0);
  const before = items.filter((item) => item.isContinued && !message.includes(item));
  const dropped = before.findLastIndex(({ text }) => (left -= [...text!].length + 1) < 0);
  const texts = before.slice(dropped + 1).map(({ text }) => text);
  return texts.join(' ') || undefined;
}

/** What is stored of an item: a long text is cut visibly. */
export function storedText({ text }: Item): string {
  const characters = text!.length <= MAX_REQUEST ? [] : [...text!];
  return characters.length <= MAX_REQUEST ? text! : `${characters.slice(0, MAX_REQUEST - 1).join('')}…`;
}

export function newItemId(): string {
  return `item_${randomBytes(12).toString('base64url')}`;
}

export function newCallId(): string {
  return `call_${randomBytes(12).toString('base64url')}`;
}

/** An item in the format for clients. */
export function toItemEvent(item: Item): Record<string, unknown> {
  const { id, role, status, text, spoken, call, result_of, images = [] } = item;
  const common = { id, object: 'realtime.item' };
  if (call) return { ...common, type: 'function_call', status, ...call, arguments: text };
  if (result_of !== undefined)
    return { ...common, type: 'function_call_output', status, call_id: result_of, output: text };
  const type = role === 'assistant' ? (spoken ? 'output_audio' : 'output_text') : spoken ? 'input_audio' : 'input_text';
  const content = spoken ? { type, transcript: text } : { type, text: text ?? '' };
  // The client has the pictures.
  const pictures = images.map(() => ({ type: 'input_image' }));
  return { ...common, type: 'message', status, role, content: [content, ...pictures] };
}
