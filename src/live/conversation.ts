import { randomBytes } from 'node:crypto';

/** Items that a session remembers; the oldest are forgotten. The history of the user is not here but in the database. */
const MAX_ITEMS = 500;

/** What an avatar said, as far as it can still be cut. */
export interface Cuttable {
  /**
   * Keeps only the words that end by then, and ends what is still being said.
   *
   * @returns where it is cut, in milliseconds, within its sound
   */
  truncate(audio_end_ms: number): Promise<number>;
}

/** A message of a live session. */
export interface Item {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  status: 'in_progress' | 'completed' | 'incomplete';
  /** What was typed or said; null while it is transcribed. */
  text: string | null;
  readonly spoken: boolean;
  /** Of a user's item: whether it has been answered, or is being answered. */
  answered?: boolean;
  /** Of a user's item that is stored: the last of those that were stored as one message. */
  storedWith?: string;
  /** What it is to the server that hears and speaks for the avatar, where there is one. */
  upstream?: { readonly item_id?: string };
  /** Of an avatar's item. */
  answer?: Cuttable;
}

/** The items of a session, in order. */
export class Conversation {
  private readonly items: Item[] = [];

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  /** In order. */
  get all(): readonly Item[] {
    return this.items;
  }

  find(id: unknown): Item | undefined {
    return this.items.find((item) => item.id === id);
  }

  /**
   * @param after the item that it follows, `root` for the beginning; left out, the last
   * @returns the identifier of the item before it, or null
   */
  add(item: Item, after?: string): string | null {
    const before = after === undefined ? this.items.length : after === 'root' ? 0 : this.positionOf(after) + 1;
    this.items.splice(before, 0, item);
    const previous = this.items[before - 1]?.id ?? null;
    if (this.items.length > MAX_ITEMS) this.items.shift();
    return previous;
  }

  remove(id: string): void {
    const at = this.positionOf(id);
    if (at >= 0) this.items.splice(at, 1);
  }

  /** The identifier of the item before one, or null. */
  previousOf(id: string): string | null {
    return this.items[this.positionOf(id) - 1]?.id ?? null;
  }

  /** The identifier of the last item, or null. */
  get lastId(): string | null {
    return this.items.at(-1)?.id ?? null;
  }

  /** What the user has said and nobody has answered. */
  get unanswered(): Item[] {
    return this.items.filter(({ role, answered, text }) => role === 'user' && !answered && text);
  }

  private positionOf(id: string): number {
    return this.items.findIndex((item) => item.id === id);
  }
}

/** What is to be stored of unanswered items: those that are not stored yet, or, where all are, the last message again. */
export function askedNow(items: readonly Item[]): readonly Item[] {
  const fresh = items.filter(({ storedWith }) => storedWith === undefined);
  return fresh.length > 0 ? fresh : items.filter(({ storedWith }) => storedWith === items.at(-1)!.storedWith);
}

export function newItemId(): string {
  return `item_${randomBytes(12).toString('base64url')}`;
}

/** An item as clients see it. */
export function presentItem({ id, role, status, text, spoken }: Item): Record<string, unknown> {
  const type = role === 'assistant' ? (spoken ? 'output_audio' : 'output_text') : spoken ? 'input_audio' : 'input_text';
  const content = spoken ? { type, transcript: text } : { type, text: text ?? '' };
  return { id, object: 'realtime.item', type: 'message', status, role, content: [content] };
}
