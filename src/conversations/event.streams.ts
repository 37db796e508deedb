import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isWithdrawn, type Owner, ownerKey } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { isDatabaseUnavailable } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { ErasureFences } from '../erasure/index.js';
import { type EventData, Events, type Signal, Signals } from '../events/index.js';
import { MessageFeed, type Recorded } from '../messages/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { Coalesced, FairShare, keepHeapSmall } from 'avatar-chat-runtime';
import { EventStream, type StreamOptions, textOf } from './event.stream.js';
import { ProjectPosition } from './positions.js';

/** Event streams of one user, or of one operator of a project; and of a key in a project, whatever its operators' names. */
const [MAX_STREAMS_PER_USER, MAX_STREAMS_PER_KEY] = [5, 50];
/** How often messages of other processes are looked for, in milliseconds. */
const POLL_MS = 1000;
/** New messages of a project that are read at a time, and how long it waits until it reads again, in milliseconds. */
const [BATCH, PAUSE_MS] = [250, 250];
/** How far the clocks of other processes may be behind, in milliseconds. */
const CLOCK_BEHIND_MS = 30_000;

/** From so many streams a second on, the heap is kept small for so long, in milliseconds. */
const MANY_PER_SECOND = 20;
const OPENING_MS = 5000;

type Opening = Omit<StreamOptions, 'onClose'>;

/**
 * The event streams of this process. News of this process is sent at once; that of others is found by one query per
 * second for all users who are connected, and one for each project that is followed. Without streams there are none.
 */
@Injectable()
export class EventStreams {
  private readonly logger = loggerOf(EventStreams.name);
  private readonly slots: FairShare;
  /** By user, and by project for those about all of its users; oldest first. */
  private readonly streams = new Map<string, Set<EventStream>>();
  /** Of the streams of each project together. */
  private readonly positions = new Map<string, ProjectPosition>();
  private readonly news = new Coalesced(async (project_ids) => {
    await Promise.all(project_ids.map((project_id) => this.sendNews(project_id)));
    await delay(PAUSE_MS, undefined, { ref: false });
  });
  private readonly releases = new Map<EventStream, () => void>();
  private stopListening?: () => void;
  private isPolling = false;
  private isDraining = false;
  /** In this second. */
  private opened = 0;
  private opening?: NodeJS.Timeout;
  /** When the last successful query began, in Unix milliseconds. */
  private polled = 0;

  constructor(
    private readonly feed: MessageFeed,
    private readonly events: Events,
    private readonly signals: Signals,
    private readonly fences: ErasureFences,
    private readonly clock: Clock,
    private readonly catalogue: CatalogueService,
    config: Config,
  ) {
    this.slots = new FairShare(config.eventStreams);
  }

  /** Streams that are open. */
  get size(): number {
    return this.releases.size;
  }

  /**
   * Opens a stream, and begins to send what has been stored since its position. The oldest of a user, an operator or a key who has too many ends.
   *
   * @throws ServiceError `service_unavailable` if there are too many
   */
  open(opening: Opening): EventStream {
    const { subject, holders, position } = opening;
    const key = keyOf(subject);
    if (this.isDraining) throw failure('service_unavailable');
    const ofSubject = [...(this.streams.get(key) ?? [])];
    for (const [respect, most] of [MAX_STREAMS_PER_USER, MAX_STREAMS_PER_KEY].entries()) {
      const own = ofSubject.filter(({ options }) => options.holders[respect] === holders[respect]);
      if (own.length >= most) own[0]!.endWith('replaced');
    }
    const release = this.slots.acquire(holders, () => stream.endWith('replaced'));
    if (!release) throw failure('service_unavailable');
    const stream: EventStream = new EventStream({ ...opening, onClose: () => this.remove(key, stream) });
    this.streams.set(key, (this.streams.get(key) ?? new Set()).add(stream));
    if (position instanceof ProjectPosition)
      this.positions.set(key, (position.shared = this.positions.get(key) ?? position.shared));
    this.releases.set(stream, release);
    this.listen();
    stream.watchClient();
    this.keepHeapSmall();
    void stream.sendMessages();
    return stream;
  }

  /** Ends all streams: their clients connect to another process. */
  drain(): void {
    this.isDraining = true;
    for (const stream of this.releases.keys()) stream.endWith('going_away');
  }

  /** The objects of many streams that open at once would grow V8's heap, which keeps its size for minutes. */
  private keepHeapSmall(): void {
    if (++this.opened < MANY_PER_SECOND) return;
    if (this.opening) return void this.opening.refresh();
    const letHeapGrow = keepHeapSmall(true);
    this.opening = setTimeout(() => {
      delete this.opening;
      letHeapGrow();
    }, OPENING_MS).unref();
  }

  private remove(key: string, stream: EventStream): void {
    const release = this.releases.get(stream);
    if (!release) return;
    this.releases.delete(stream);
    release();
    const others = this.streams.get(key);
    others?.delete(stream);
    if (others?.size === 0) for (const all of [this.streams, this.positions]) all.delete(key);
    if (this.releases.size > 0) return;
    this.stopListening?.();
    delete this.stopListening;
  }

  private listen(): void {
    if (this.stopListening) return;
    this.polled = this.clock.now();
    const timer = setInterval(() => void this.poll(), POLL_MS).unref();
    const unsubscribe = [
      this.events.subscribe('message.created', ({ data }) => this.announce(data)),
      this.events.subscribe('turn.answering', ({ data: { avatar_id, name, ...owner } }) => {
        for (const stream of this.of(owner)) stream.sendTyping(avatar_id, name);
      }),
      this.signals.subscribe((signal) => this.sendSignal(signal)),
      this.events.subscribe('messages.removed', ({ data }) => this.sendRemoved(data)),
    ];
    this.stopListening = () => {
      clearInterval(timer);
      for (const stop of unsubscribe) stop();
    };
  }

  private of(owner: Pick<Owner, 'project_id' | 'user_id'>): Iterable<EventStream> {
    return this.streams.get(ownerKey(owner)) ?? [];
  }

  private ofProject({ project_id }: Pick<Owner, 'project_id'>): Iterable<EventStream> {
    return this.streams.get(project_id) ?? [];
  }

  private sendSignal({ project_id, user_id, event, data }: Signal): void {
    for (const stream of this.of({ project_id, user_id })) {
      if (event === 'conversation') stream.send('conversation', data);
      else if (event === 'typing') stream.sendTyping(data.avatar_id!, data.name!);
    }
    if (event === 'conversation')
      for (const stream of this.ofProject({ project_id })) stream.send('conversation', { user_id, ...data });
  }

  private announce(message: Recorded): void {
    for (const stream of this.of(message)) if (stream.options.position.isBefore(message)) void stream.sendMessages();
    const { project_id } = message;
    if (this.positions.get(project_id)?.isBefore(message)) void this.news.get([project_id]);
  }

  /** Reads what is new in a project, once for all its streams. Never rejects. */
  private async sendNews(project_id: string): Promise<void> {
    const position = this.positions.get(project_id);
    try {
      do
        for (const message of (await position?.next(BATCH)) ?? []) {
          if (this.positions.get(project_id) !== position) return;
          position!.markSent(message);
          const streams = [...this.ofProject(message)];
          const text = textOf('message', streams[0]!.options.present(message) as object, message._id);
          for (const stream of streams) stream.sendShared(message, text);
        }
      while (position?.hasMore);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    }
  }

  /** Ends streams whose tokens are no longer valid, keeps the others open, and finds what other processes have done. */
  private async poll(): Promise<void> {
    this.opened = 0;
    for (const stream of this.releases.keys()) {
      if (!this.isValid(stream)) stream.endWith('token_expired');
      stream.keepAlive();
      if (stream.isBehind) void stream.sendMessages();
    }
    if (this.positions.size > 0) void this.news.get([...this.positions.keys()]);
    if (this.isPolling || this.size === 0) return;
    this.isPolling = true;
    try {
      const began = this.clock.now();
      const [found] = await Promise.all([
        this.feed.since(this.connectedUsers(), this.polled - CLOCK_BEHIND_MS),
        this.endErased(),
      ]);
      this.polled = began;
      for (const message of found) this.announce(message);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      this.isPolling = false;
    }
  }

  private isValid({ options: { validity, subject } }: EventStream): boolean {
    if (!validity) return true;
    const project = this.catalogue.knownProject(subject.project_id);
    return validity.expires_at * 1000 > this.clock.now() && !(project && isWithdrawn(validity, project));
  }

  /** By project. */
  private connectedUsers(): Map<string, string[]> {
    const users = new Map<string, string[]>();
    for (const [first] of this.streams.values()) {
      const { project_id, user_id } = first!.options.subject;
      const known = users.get(project_id) ?? [];
      if (user_id !== undefined && known.push(user_id)) users.set(project_id, known);
    }
    return users;
  }

  /** Ends the streams of users who were erased, or whose project was removed, by any process. */
  private async endErased(): Promise<void> {
    const fence = await this.fences.currentFence();
    const all = [...this.releases.keys()];
    for (const since of new Set(all.map((stream) => stream.options.fence))) {
      if (since >= fence) continue;
      const streams = all.filter((stream) => stream.options.fence === since);
      const subjects = streams.map(({ options: { subject } }) => subject);
      const erased = await this.fences.erasedOf(subjects, since);
      for (const stream of streams) {
        if (erased.has(keyOf(stream.options.subject))) stream.endWith('messages_removed');
        stream.options.fence = fence;
      }
    }
  }

  private async sendRemoved({ project_id, user_id, ids }: EventData['messages.removed']): Promise<void> {
    if (!ids) {
      for (const stream of this.releases.keys()) {
        const { subject } = stream.options;
        const isGone = subject.project_id === project_id && (user_id === undefined || subject.user_id === user_id);
        if (isGone) stream.endWith('messages_removed');
      }
      return;
    }
    const user_ids = user_id === undefined ? this.connectedUsers().get(project_id) : [user_id];
    if (!user_ids) return;
    const found = await this.feed.ofUsers(project_id, user_ids, ids);
    for (const user of new Set(found.map((message) => message.user_id))) {
      const theirs = found.filter((message) => message.user_id === user).map(({ _id }) => _id);
      for (const stream of this.of({ project_id, user_id: user })) stream.send('messages_removed', { ids: theirs });
    }
  }
}

function keyOf({ project_id, user_id }: StreamOptions['subject']): string {
  return user_id === undefined ? project_id : ownerKey({ project_id, user_id });
}
