import type { Message, Source, TurnClient } from 'avatar-chat-client';
import { reachable } from '../core/reachable.js';
import type { UserStorage } from '../core/user-storage.js';

const PER_PAGE = 20;
/** How long to wait before checking again for an interrupted answer, which is stored with a delay. */
const RETRY_DELAY_MS = 150;
const MAX_ATTEMPTS = 12;

/** The maximum clock skew between a browser and a service. */
export const MAX_CLOCK_SKEW_MS = 60_000;

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
  language_code?: string;
  /** The avatar's name; undefined for the user's own messages. */
  name?: string;
  /** Its audio: a URL, or a recording that has not been sent yet. */
  recording?: string | Blob;
  /** The passages that the answer is based on. */
  sources?: readonly Source[];
  /** Whether the answer may be a video. */
  isVideo?: boolean;
  state: 'done' | 'waiting' | 'typing' | 'speaking' | 'interrupted' | 'failed';
  /** Why it failed. */
  error?: unknown;
  /** Sends it again as the same turn. */
  retry?: () => void;
}

/** The stored messages of a user that are in view. */
export class History {
  private oldest?: string;
  private hasOlder = true;
  private readonly known = new Map<string, Entry>();
  /** In view, but not matched with a stored message. */
  private readonly unclaimed = new Set<Entry>();
  /** The time of the newest known message; undefined before the first page. */
  newest?: number;
  /** The `_id` of the newest message of the first page. */
  newestId?: string;

  constructor(
    private readonly client: TurnClient,
    private readonly service: string,
    private readonly store: UserStorage,
  ) {}

  /** Whether there is more to load. */
  get more(): boolean {
    return this.hasOlder;
  }

  /** The next page, oldest first, without messages that are already shown. */
  async older(signal: AbortSignal): Promise<Entry[]> {
    const page = await this.client.page({ per_page: PER_PAGE, before: this.oldest, signal });
    const messages = page.payload.filter(({ date }) => date > this.store.since);
    this.newest ??= page.payload[0]?.date ?? 0;
    this.newestId ??= page.payload[0]?._id;
    this.oldest = messages.at(-1)?._id ?? this.oldest;
    this.hasOlder = page.has_more_messages && messages.length === page.payload.length;
    const entries = messages.flatMap((message, at) => this.add(message, messages[at + 1]) ?? []).reverse();
    // An answer interrupted before its first word has nothing to show.
    return entries.filter(({ mine, text, recording }) => mine || text || recording);
  }

  /** Forgets what is stored, so that {@link older} reads it again. @returns the entries that showed it */
  startAgain(): Entry[] {
    const shown = [...this.known.values()];
    this.known.clear();
    this.oldest = undefined;
    this.hasOlder = true;
    return shown;
  }

  /** A message was removed. @returns the entry that showed it */
  forget(id: string): Entry | undefined {
    const entry = this.known.get(id);
    this.known.delete(id);
    return entry;
  }

  /**
   * Hides everything stored so far.
   *
   * @param isCut whether an answer has just been interrupted; if it had a word, it is stored in a moment
   */
  async hideStored(signal: AbortSignal, isCut: boolean): Promise<void> {
    for (let tries = 0; tries < (isCut ? MAX_ATTEMPTS : 1); tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      const { payload } = await this.client.page({ per_page: 1, signal });
      this.store.since = payload[0]?.date ?? 0;
      if (payload[0]?.direction !== 'outgoing') return;
    }
  }

  entry(id: string): Entry | undefined {
    return this.known.get(id);
  }

  /** Registers a new or changed entry that has no known stored message yet. */
  expect(entry: Entry): void {
    if (entry.id === undefined || this.known.get(entry.id) !== entry) this.unclaimed.add(entry);
  }

  /** Removes an entry that is no longer in view. */
  dismiss(entry: Entry): void {
    this.unclaimed.delete(entry);
  }

  /**
   * Finds the entry that already shows a stored message, and links them. Its text, if any, is not changed. What is stored was sent;
   * what has failed may still lack an answer.
   */
  claim(message: Message): Entry | undefined {
    const shown = message.direction === 'outgoing' ? this.saidAs(message) : this.answeredAs(message);
    if (!shown) return undefined;
    const { mine, text, state } = shown;
    const entry = this.learn(message, shown);
    if (!mine || state === 'failed') entry.state = state;
    entry.text = text;
    return entry;
  }

  /** Registers a stored message. @param shown the entry that already shows it */
  learn(message: Message, shown?: Entry): Entry {
    const entry = this.entryOf(message);
    if (shown) this.dismiss(shown);
    const known = shown ? Object.assign(shown, entry) : entry;
    this.known.set(message._id, known);
    this.newest = Math.max(this.newest ?? 0, message.date);
    return known;
  }

  /**
   * Utterances that were answered together are stored as one message, one per line. A recording without words may be any:
   * that of another device, too.
   */
  private saidAs({ request }: Message): Entry | undefined {
    const take = (words: string) => {
      const said = [...this.unclaimed].find(({ mine, text }) => mine && text && text.trim() === words.trim());
      if (said) this.unclaimed.delete(said);
      return said;
    };
    return take(request) ?? request.split('\n').map(take).findLast(Boolean);
  }

  /** A live answer keeps its `_id` when stored. An interrupted one has none. */
  private answeredAs({ _id, answer }: Message): Entry | undefined {
    const answers = [...this.unclaimed].filter(({ mine }) => !mine);
    const isLike = (text: string) => text && answer && (text.startsWith(answer) || answer.startsWith(text));
    return answers.find(({ id }) => id === _id) ?? answers.find(({ id, text }) => id === undefined && isLike(text));
  }

  /** @param before the preceding message */
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
    const { _id, date, direction, request, answer, avatar_id, avatar_name, chat_type, fileUrl, language_code } =
      message;
    const mine = direction === 'outgoing';
    return {
      id: _id,
      date,
      mine,
      text: mine ? request : (answer ?? ''),
      avatar_id,
      name: avatar_name,
      language_code,
      recording: fileUrl && reachable(fileUrl, this.service),
      isVideo: !mine && chat_type === 'video',
      state: 'done',
    };
  }
}
