import type { AvatarChat, Message } from 'avatar-chat-client';
import { reachable } from './reachable.js';
import type { Store } from './store.js';

const PER_PAGE = 20;
const MAX_MISSED = 100;
/** How long to wait for an answer that has been interrupted, and is stored then. */
const TRY_AGAIN_MS = 150;
const MOST_TRIES = 12;

export type ChatType = Message['chat_type'];

/** One bubble. */
export interface Entry {
  mine: boolean;
  text: string;
  /** The `_id` of the message, once the service has stored it. */
  id?: string;
  /** When it was stored, as Unix time in milliseconds. */
  date?: number;
  avatar_id?: string;
  /** The avatar's name; undefined for the user's own messages. */
  name?: string;
  /** What plays it: a URL, or a recording that has not been sent yet. */
  recording?: string | Blob;
  /** Whether the answer may be a video. */
  isVideo?: boolean;
  state: 'done' | 'waiting' | 'speaking' | 'interrupted' | 'failed';
  /** Why it failed. */
  error?: unknown;
  /** Sends it again, as the same turn. */
  retry?: () => void;
}

/** What is stored of a user's conversations, as far as it is in view. */
export class History {
  private oldest?: string;
  private hasOlder = true;
  private readonly known = new Map<string, Entry>();
  /** In view, but not known to be stored. */
  private readonly unclaimed = new Set<Entry>();
  /** When the newest message that is known was stored; nothing before the first page. */
  newest?: number;

  constructor(
    private readonly client: AvatarChat,
    private readonly service: string,
    private readonly store: Store,
  ) {}

  /** Whether there is more to load. */
  get more(): boolean {
    return this.hasOlder;
  }

  /** The next page, oldest first, without what is shown already. */
  async older(signal: AbortSignal): Promise<Entry[]> {
    const page = await this.client.page({ per_page: PER_PAGE, before: this.oldest, signal });
    const messages = page.payload.filter(({ date }) => date > this.store.since);
    this.newest ??= page.payload[0]?.date ?? 0;
    this.oldest = messages.at(-1)?._id ?? this.oldest;
    this.hasOlder = page.has_more_messages && messages.length === page.payload.length;
    const entries = messages.flatMap((message, at) => this.add(message, messages[at + 1]) ?? []).reverse();
    // Of an answer that was interrupted before its first word there is nothing to show.
    return entries.filter(({ mine, text, recording }) => mine || text || recording);
  }

  /** What has come since in other ways, oldest first. */
  async missed(signal: AbortSignal): Promise<Message[]> {
    const { newest } = this;
    if (newest === undefined) return [];
    const missed: Message[] = [];
    for (let more = true; more && missed.length < MAX_MISSED;) {
      const page = await this.client.page({ per_page: PER_PAGE, before: missed.at(-1)?._id, signal });
      const later = page.payload.filter(({ date }) => date > newest);
      missed.push(...later);
      more = page.has_more_messages && later.length === PER_PAGE;
    }
    return missed.filter(({ _id }) => !this.known.has(_id)).reverse();
  }

  /**
   * Leaves what is stored by now behind.
   *
   * @param isCut whether an answer has just been interrupted, which is stored in a moment if it had a word
   */
  async begin(signal: AbortSignal, isCut: boolean): Promise<void> {
    for (let tries = 0; tries < (isCut ? MOST_TRIES : 1); tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
      const { payload } = await this.client.page({ per_page: 1, signal });
      this.store.since = payload[0]?.date ?? 0;
      if (payload[0]?.direction !== 'outgoing') return;
    }
  }

  entry(id: string): Entry | undefined {
    return this.known.get(id);
  }

  /** Takes note of what came into view, or has changed, before it is known to be stored. */
  expect(entry: Entry): void {
    if (entry.id === undefined || this.known.get(entry.id) !== entry) this.unclaimed.add(entry);
  }

  /** It is in view no more. */
  dismiss(entry: Entry): void {
    this.unclaimed.delete(entry);
  }

  /** Finds what is in view already of a stored message, of which it takes note then. Its text stays as it is. */
  claim(message: Message): Entry | undefined {
    const shown = message.direction === 'outgoing' ? this.saidAs(message.request) : this.answeredAs(message);
    if (!shown) return undefined;
    const { text, state } = shown;
    return Object.assign(this.learn(message, shown), { text, state });
  }

  /** Takes note of a stored message. @param shown what shows it already */
  learn(message: Message, shown?: Entry): Entry {
    const entry = this.entryOf(message);
    if (shown) this.dismiss(shown);
    const known = shown ? Object.assign(shown, entry) : entry;
    this.known.set(message._id, known);
    this.newest = Math.max(this.newest ?? 0, message.date);
    return known;
  }

  /** What was said before it was answered is stored as one message, line by line. */
  private saidAs(request: string): Entry | undefined {
    const take = (words: string) => {
      const said = [...this.unclaimed].find(({ mine, text }) => mine && text.trim() === words.trim());
      if (said) this.unclaimed.delete(said);
      return said;
    };
    return take(request) ?? request.split('\n').map(take).findLast(Boolean);
  }

  /** An answer has the `_id` that it had while it came, or none where it was interrupted. */
  private answeredAs({ _id, answer }: Message): Entry | undefined {
    const answers = [...this.unclaimed].filter(({ mine }) => !mine);
    const isLike = (text: string) => text && answer && (text.startsWith(answer) || answer.startsWith(text));
    return answers.find(({ id }) => id === _id) ?? answers.find(({ id, text }) => id === undefined && isLike(text));
  }

  /** @param before the message before it */
  private add(message: Message, before: Message | undefined): Entry | undefined {
    const { store } = this;
    if (this.known.has(message._id) || this.claim(message)) return undefined;
    const entry = this.entryOf(message);
    const answers = before?.direction === 'outgoing' && before.request === message.request ? before._id : undefined;
    const isCut = store.isCut(message._id) || (answers !== undefined && store.isCut(answers));
    if (!entry.mine && isCut) entry.state = 'interrupted';
    this.known.set(message._id, entry);
    return entry;
  }

  private entryOf(message: Message): Entry {
    const { _id, date, direction, request, answer, avatar_id, avatar_name, chat_type, fileUrl } = message;
    const mine = direction === 'outgoing';
    return {
      id: _id,
      date,
      mine,
      text: mine ? request : (answer ?? ''),
      avatar_id,
      name: avatar_name,
      recording: fileUrl && reachable(fileUrl, this.service),
      isVideo: !mine && chat_type === 'video',
      state: 'done',
    };
  }
}
