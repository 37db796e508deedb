import { AvatarChatError, type AvatarInfo, type Message } from 'avatar-chat-client';
import { type ChatType, type Entry, History, MAX_CLOCK_SKEW_MS } from './history.js';
import type { Listener } from './listener.js';
import { Outbox, type Pending } from './outbox.js';
import { reachable } from '../core/reachable.js';
import type { TalkOptions } from '../views/talk-options.js';

export type { Entry } from './history.js';
export type { Listener, TurnState } from './listener.js';

/** The messages between a user and the avatars, and the turn in progress, if any. */
export class Conversation {
  avatar: AvatarInfo;
  language_code: string;
  chat_type: ChatType;
  readonly history: History;
  private readonly outbox: Outbox;
  private turn?: AbortController;
  private pending?: Pending;
  /** What is sent once the recording or text before it is confirmed. */
  private readonly queue: { pending: Pending; settle(turn?: Promise<void>): void }[] = [];
  private hasBegun = false;
  /** Messages that may belong to the turn in progress. */
  private held: Message[] = [];

  constructor(
    private readonly options: TalkOptions,
    private readonly listener: Listener,
  ) {
    const { client, service, store, choice } = options;
    ({ avatar: this.avatar, language_code: this.language_code, chat_type: this.chat_type } = choice);
    this.history = new History(client, service, store);
    this.outbox = new Outbox(store, (pending) => {
      this.listener.removed(pending.mine);
      this.listener.removed(pending.answer);
      void this.enqueue(pending).catch(() => undefined);
    });
  }

  /** Whether there is more history to load. */
  get more(): boolean {
    return this.history.more;
  }

  get busy(): boolean {
    return this.turn !== undefined;
  }

  /** The next page of the history, oldest first. After the first one, unsent messages are appended. */
  async older(): Promise<Entry[]> {
    const entries = await this.history.older(this.options.signal());
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    // After the entries have been added to the view.
    if (isFirst) setTimeout(() => this.recall(entries));
    return entries;
  }

  /**
   * A message of the event stream: of this page, or stored elsewhere. What may belong to the turn in progress is looked at
   * after it.
   */
  receive(message: Message): void {
    const { history, pending, listener } = this;
    if (history.entry(message._id)) return;
    if (pending && (message.direction === 'outgoing' || message.avatar_name === pending.answer.name)) {
      this.held.push(message);
      return;
    }
    const shown = history.claim(message);
    const entry = shown ?? history.learn(message);
    const { mine, text, recording } = entry;
    const isSeen = shown || mine || text || recording;
    if (isSeen) listener.changed(entry);
    listener.stored(mine ? message : { ...message, answer: text });
    const settled = mine ? undefined : this.outbox.settle(message);
    if (settled) listener.changed(settled);
    if (isSeen && !shown) listener.arrived(entry);
  }

  /** Messages were removed. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      const entry = this.history.forget(id);
      if (entry) this.listener.removed(entry);
    }
  }

  /** Removes what is stored from the view, so that {@link older} reads it again. */
  startAgain(): void {
    for (const entry of this.history.startAgain()) this.listener.removed(entry);
  }

  /** Starts a new conversation. @param isCut whether an answer has just been interrupted */
  async startOver(isCut: boolean): Promise<void> {
    this.interrupt();
    await this.history.hideStored(this.options.signal(), isCut);
    this.outbox.clear();
  }

  /**
   * Sends a message. Interrupts a turn in progress, but waits until its recording, if any, is understood.
   *
   * @returns when the turn has ended
   * @throws the error that made it fail
   */
  sendMessage(words: string | undefined, file?: Blob): Promise<void> {
    return this.enqueue({
      turn: {
        avatar_id: this.avatar._id,
        request: words,
        chat_type: this.chat_type,
        language_code: this.language_code,
        session: this.options.connection.session,
        file,
      },
      idempotencyKey: Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-'),
      after: this.history.newest ?? Date.now() - MAX_CLOCK_SKEW_MS,
      mine: { mine: true, text: words ?? '', recording: file, date: Date.now(), state: 'waiting' },
      answer: this.newAnswer(),
    });
  }

  private enqueue(pending: Pending): Promise<void> {
    pending.isHushed = false;
    if (!this.isQueuing) {
      this.interrupt();
      return this.runTurn(pending);
    }
    this.listener.changed(Object.assign(pending.mine, { state: 'waiting', error: undefined, retry: undefined }));
    return new Promise((settle) => this.queue.push({ pending, settle }));
  }

  /** Stops the avatar. What it has said stays. */
  interrupt(): void {
    this.abort();
    for (const { pending, settle } of this.queue.splice(0)) {
      this.failed(pending, undefined);
      settle();
    }
  }

  /** The user speaks. A recording that is not understood yet is kept, and what waits; their answers are only read. */
  listen(): void {
    if (!this.isQueuing) this.interrupt();
    if (this.pending) this.pending.isHushed = true;
    for (const { pending } of this.queue) pending.isHushed = true;
  }

  /** Whether what comes next has to wait: a recording is not understood yet, or something else waits already. */
  private get isQueuing(): boolean {
    return this.queue.length > 0 || (this.isUnconfirmed && this.pending?.turn.file !== undefined);
  }

  /** Whether the turn in progress may not have arrived yet. */
  private get isUnconfirmed(): boolean {
    return this.turn !== undefined && this.pending?.mine.id === undefined;
  }

  private abort(): void {
    this.turn?.abort();
    this.turn = undefined;
  }

  private runNext(): void {
    const next = this.isUnconfirmed ? undefined : this.queue.shift();
    if (!next) return;
    this.abort();
    next.settle(this.runTurn(next.pending));
  }

  /** Called when the page is left: keeps what has not arrived yet. */
  saveUnsent(): void {
    const { pending, queue } = this;
    for (const { pending } of queue) this.outbox.storeTurn(pending);
    if (!pending) return;
    if (pending.mine.id === undefined) this.outbox.storeTurn(pending);
    else this.options.store.setCut(pending.mine.id, true);
  }

  private newAnswer(): Entry {
    return { mine: false, text: '', name: this.avatar.name, avatar_id: this.avatar._id, state: 'waiting' };
  }

  private async runTurn(pending: Pending): Promise<void> {
    const controller = new AbortController();
    this.turn = controller;
    this.pending = pending;
    Object.assign(pending.mine, { state: 'waiting', error: undefined, retry: undefined });
    Object.assign(pending.answer, { state: 'waiting', text: '', date: Date.now() });
    this.listener.changed(pending.mine);
    this.listener.changed(pending.answer);
    this.listener.turned('asked');
    try {
      await this.follow(pending, controller.signal).catch(async (error: unknown) => {
        if (codeOf(error) !== 'invalid_session') throw error;
        // A session expires with its token; a page may stay open longer.
        const { session } = await this.options.client.connect({ signal: controller.signal });
        this.options.connection.session = pending.turn.session = session;
        await this.follow(pending, controller.signal);
      });
    } catch (error) {
      const { aborted } = controller.signal;
      this.failed(pending, aborted ? undefined : error);
      if (aborted) return;
      if (codeOf(error) !== 'no_transcript') this.listener.failed(error);
      throw error;
    } finally {
      if (this.turn === controller) this.turn = undefined;
      if (this.pending === pending) this.pending = undefined;
      for (const message of this.held.splice(0)) this.receive(message);
      this.runNext();
      this.listener.idle();
    }
  }

  private async follow(pending: Pending, signal: AbortSignal): Promise<void> {
    const { turn, idempotencyKey, mine, answer } = pending;
    let heard = false;
    let isCut = false;
    for await (const event of this.options.client.stream(turn, { signal, idempotencyKey })) {
      switch (event.event) {
        case 'outgoing':
          this.learn(event.message, mine);
          this.runNext();
          break;
        case 'audio':
          heard = true;
          if (pending.isHushed) break;
          this.listener.sentence({ ...event.sentence, url: reachable(event.sentence.url, this.options.service) });
          break;
        case 'restart':
          heard = false;
          answer.text = '';
          answer.sources = undefined;
          this.listener.restarted();
          this.listener.changed(answer);
          break;
        case 'sources':
          answer.sources = event.sources;
          break;
        case 'conversation':
          // A person answers, later.
          this.listener.removed(answer);
          this.listener.handedOver(event);
          this.listener.turned('answered');
          break;
        case 'interrupted':
          isCut = true;
          break;
        case 'delta':
          if (answer.state === 'waiting') this.listener.turned('answering');
          this.listener.changed(Object.assign(answer, { text: answer.text + event.text, state: 'speaking' }));
          break;
        case 'incoming':
          if (mine.id !== undefined) this.options.store.setCut(mine.id, isCut);
          this.outbox.removeAnswered(idempotencyKey);
          this.learn(event.message, answer, isCut ? 'interrupted' : 'done');
          this.listener.answered(answer, heard || !!pending.isHushed);
          this.listener.turned('answered');
      }
    }
  }

  /** Handles a stored message of this turn. */
  private learn(message: Message, entry: Entry, state: Entry['state'] = 'done'): void {
    const known = this.history.entry(message._id);
    if (known && known !== entry) this.listener.removed(known);
    this.listener.changed(Object.assign(this.history.learn(message, entry), { state }));
    if (!known) this.listener.stored(message);
  }

  /** @param error undefined if the turn was interrupted */
  private failed(pending: Pending, error: unknown): void {
    const { turn, mine, answer } = pending;
    if (answer.text) {
      answer.state = 'interrupted';
      if (mine.id !== undefined) this.options.store.setCut(mine.id, true);
      this.history.expect(answer);
      this.listener.changed(answer);
    } else {
      this.listener.removed(answer);
    }
    this.listener.turned(answer.text && !error ? 'answered' : 'failed');
    if (turn.file && codeOf(error) === 'no_transcript') {
      this.listener.removed(mine);
      this.listener.wordless(turn.file);
      return;
    }
    // If interrupted before the service confirmed the message, it may never have arrived.
    if (error === undefined && mine.id !== undefined) mine.state = 'done';
    else this.fail(pending, error);
    this.listener.changed(mine);
  }

  /** What has failed may have arrived. */
  private fail(pending: Pending, error: unknown): void {
    this.outbox.fail(pending, error);
    this.history.expect(pending.mine);
  }

  private recall(entries: Entry[]): void {
    const failed = this.outbox.recall(entries, () => this.newAnswer());
    for (const entry of failed) {
      this.history.expect(entry);
      this.listener.changed(entry);
    }
    this.listener.begun(entries.length === 0 && failed.length === 0 && !this.busy);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof AvatarChatError ? error.code : undefined;
}
