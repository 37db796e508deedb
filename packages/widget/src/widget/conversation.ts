import {
  type AvatarChat,
  AvatarChatError,
  type AvatarInfo,
  type ConnectionResponse,
  type Message,
  type SpokenSentence,
  type Turn,
} from 'avatar-chat-client';
import { reachable } from './reachable.js';

const PER_PAGE = 20;

export type ChatType = Message['chat_type'];

/** One bubble. */
export interface Entry {
  mine: boolean;
  text: string;
  /** Who speaks, where it is not the user. */
  name?: string;
  /** What plays it: a URL, or a recording that has not been sent yet. */
  recording?: string | Blob;
  state: 'done' | 'waiting' | 'speaking' | 'interrupted' | 'failed';
  /** Why it failed. */
  error?: unknown;
  /** Sends it again, as the same turn. */
  retry?: () => void;
}

export interface Listener {
  /** A new entry at the end, or one that has changed. */
  changed(entry: Entry): void;
  removed(entry: Entry): void;
  /** A sentence of the answer that is coming, spoken. */
  sentence(sentence: SpokenSentence): void;
  /** The answer begins anew: nothing of it has been said. */
  restarted(): void;
  /** The avatar's whole answer. @param heard whether it has been spoken sentence by sentence */
  answered(entry: Entry, heard: boolean): void;
  /** The turn is over, whatever became of it. */
  idle(): void;
  /** A recording in which no words were found. */
  wordless(file: Blob): void;
}

/** What is said between a user and the avatars, and the one turn that may be in progress. */
export class Conversation {
  avatar: AvatarInfo;
  language_code: string;
  chat_type: ChatType;
  private oldest?: string;
  private hasOlder = true;
  private turn?: AbortController;

  constructor(
    private readonly client: AvatarChat,
    private readonly service: string,
    private connection: ConnectionResponse,
    private readonly listener: Listener,
    chosen: { avatar: AvatarInfo; language_code: string; chat_type: ChatType },
  ) {
    ({ avatar: this.avatar, language_code: this.language_code, chat_type: this.chat_type } = chosen);
  }

  /** Whether there is more history to load. */
  get more(): boolean {
    return this.hasOlder;
  }

  get busy(): boolean {
    return this.turn !== undefined;
  }

  /** The next page of the history, oldest first. */
  async older(): Promise<Entry[]> {
    const page = await this.client.page({ per_page: PER_PAGE, before: this.oldest });
    this.oldest = page.payload.at(-1)?._id ?? this.oldest;
    this.hasOlder = page.has_more_messages;
    return page.payload.map((message) => this.entryOf(message)).reverse();
  }

  /** Says something. A turn that is in progress is interrupted by it. */
  say(words: string | undefined, file?: Blob): void {
    this.interrupt();
    void this.take({
      turn: {
        avatar_id: this.avatar._id,
        request: words,
        chat_type: this.chat_type,
        language_code: this.language_code,
        session: this.connection.session,
        file,
      },
      idempotencyKey: Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-'),
      mine: { mine: true, text: words ?? '', recording: file, state: 'waiting' },
      answer: { mine: false, text: '', name: this.avatar.name, state: 'waiting' },
    });
  }

  /** Stops the avatar; what it has said stays. */
  interrupt(): void {
    this.turn?.abort();
    this.turn = undefined;
  }

  private async take(pending: Pending): Promise<void> {
    const controller = new AbortController();
    this.turn = controller;
    Object.assign(pending.mine, { state: 'waiting', error: undefined, retry: undefined });
    Object.assign(pending.answer, { state: 'waiting', text: '' });
    this.listener.changed(pending.mine);
    this.listener.changed(pending.answer);
    try {
      await this.follow(pending, controller.signal).catch(async (error: unknown) => {
        if (codeOf(error) !== 'invalid_session') throw error;
        // A session lives as long as a token; a page may be open for longer.
        this.connection = await this.client.connect();
        pending.turn.session = this.connection.session;
        await this.follow(pending, controller.signal);
      });
    } catch (error) {
      this.failed(pending, controller.signal.aborted ? undefined : error);
    } finally {
      if (this.turn === controller) this.turn = undefined;
      this.listener.idle();
    }
  }

  private async follow({ turn, idempotencyKey, mine, answer }: Pending, signal: AbortSignal): Promise<void> {
    let heard = false;
    for await (const event of this.client.stream(turn, { signal, idempotencyKey })) {
      if (event.event === 'audio') {
        heard = true;
        this.listener.sentence({ ...event.sentence, url: reachable(event.sentence.url, this.service) });
        continue;
      }
      if (event.event === 'outgoing') Object.assign(mine, this.entryOf(event.message));
      if (event.event === 'restart') {
        answer.text = '';
        heard = false;
        this.listener.restarted();
      }
      if (event.event === 'delta') Object.assign(answer, { text: answer.text + event.text, state: 'speaking' });
      if (event.event === 'incoming') Object.assign(answer, this.entryOf(event.message));
      this.listener.changed(event.event === 'outgoing' ? mine : answer);
      if (event.event === 'incoming') this.listener.answered(answer, heard);
    }
  }

  /** @param error undefined where the turn was interrupted */
  private failed(pending: Pending, error: unknown): void {
    const { turn, mine, answer } = pending;
    if (answer.text) {
      answer.state = 'interrupted';
      this.listener.changed(answer);
    } else {
      this.listener.removed(answer);
    }
    if (turn.file && codeOf(error) === 'no_transcript') {
      this.listener.removed(mine);
      this.listener.wordless(turn.file);
      return;
    }
    mine.state = error ? 'failed' : 'done';
    mine.error = error;
    mine.retry = () => {
      this.interrupt();
      this.listener.removed(mine);
      this.listener.removed(answer);
      void this.take(pending);
    };
    this.listener.changed(mine);
  }

  private entryOf({ direction, request, answer, avatar_name, fileUrl }: Message): Entry {
    const mine = direction === 'outgoing';
    return {
      mine,
      text: mine ? request : (answer ?? ''),
      name: avatar_name,
      recording: fileUrl && reachable(fileUrl, this.service),
      state: 'done',
    };
  }
}

/** A turn on its way, and what shows it. */
interface Pending {
  turn: Turn;
  idempotencyKey: string;
  mine: Entry;
  answer: Entry;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof AvatarChatError ? error.code : undefined;
}
