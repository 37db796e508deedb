import { Injectable } from '@nestjs/common';
import type { Owner, TokenValidity } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { ErasureFences } from '../erasure/index.js';
import { FileUrls } from '../files/index.js';
import { type ConversationShown, HandoverService, shownState } from '../handover/index.js';
import {
  BEFORE_ALL,
  type Cursor,
  MESSAGE_ID,
  type MessageDocument,
  MessageFeed,
  MessageRepository,
  present,
} from '../messages/index.js';
import { Clock } from '../platform/config/index.js';
import type { EventStream, StreamOptions } from './event.stream.js';
import { EventStreams } from './event.streams.js';
import { MAX_LATE_MS, ProjectPosition, SETTLED_MS, wasSentBefore } from './project.position.js';
import { UserPosition } from './user.position.js';

/** Messages that a stream replays at most. */
export const MAX_REPLAYED = 1000;
/** Messages of the last seconds that a stream of a project knows when it begins, so that they are not news. */
const MAX_SETTLING = 10_000;
/** How much later than a message a client learns at most of a change before it, by whichever clock, in milliseconds. */
const LATE_MS = 30_000;

/** Where a stream begins, and whether its client has to read the history first. */
interface Start {
  readonly from: Cursor;
  readonly isReset: boolean;
}

/** Who asks for a stream. */
export interface StreamClient extends Pick<StreamOptions, 'begin' | 'holders'> {
  /** The last message that it has. */
  readonly last: string | undefined;
}

/** Opens event streams where their clients left off. */
@Injectable()
export class StreamOpening {
  constructor(
    private readonly messages: MessageRepository,
    private readonly feed: MessageFeed,
    private readonly fences: ErasureFences,
    private readonly streams: EventStreams,
    private readonly catalogue: CatalogueService,
    private readonly handover: HandoverService,
    private readonly urls: FileUrls,
    private readonly clock: Clock,
  ) {}

  /**
   * @param validity of the user's token
   * @throws ServiceError `service_unavailable` if there are too many streams
   */
  async ofUser(owner: Owner, validity: TokenValidity, { holders, last, begin }: StreamClient): Promise<EventStream> {
    const fence = await this.fences.currentFence();
    const { from, isReset } = await this.startOf(owner, last);
    const position = new UserPosition(this.feed, owner, from, this.clock);
    const { project_id, user_id } = owner;
    const subject = { project_id, user_id };
    const missedChange = last === undefined || isReset ? undefined : () => this.changeSince(owner, from.date);
    const { present } = this;
    return this.streams.open({ subject, holders, position, validity, fence, isReset, begin, missedChange, present });
  }

  /**
   * The messages of all users of a project.
   *
   * @throws ServiceError `service_unavailable` if there are too many streams
   */
  async ofProject(project_id: string, { holders, last, begin }: StreamClient): Promise<EventStream> {
    const fence = await this.fences.currentFence();
    const known = last !== undefined && MESSAGE_ID.test(last) ? await this.feed.positionIn(project_id, last) : null;
    let from: Cursor = { _id: '', date: this.clock.now() - SETTLED_MS };
    let seen: MessageDocument[] = [];
    let isReset = last !== undefined;
    if (known) {
      const start = { _id: '', date: known.date - MAX_LATE_MS };
      const recent = await this.feed.ofProject(project_id, start, 2 * MAX_REPLAYED + 1);
      const sent = recent.filter((message) => wasSentBefore(message, known));
      isReset = recent.length - sent.length > MAX_REPLAYED || recent.length > 2 * MAX_REPLAYED;
      if (!isReset) [from, seen] = [start, sent];
    }
    if (!known || isReset) seen = await this.feed.ofProject(project_id, from, MAX_SETTLING, true);
    const position = new ProjectPosition(this.feed, project_id, from, () => this.clock.now(), seen);
    const { present } = this;
    return this.streams.open({ subject: { project_id }, holders, position, fence, isReset, begin, present });
  }

  private readonly present = (message: MessageDocument) => present(message, this.urls);

  /** Who answers, if it has changed since a message. */
  private async changeSince(owner: Owner, date: number): Promise<ConversationShown | undefined> {
    const project = await this.catalogue.findProject(owner.project_id);
    const conversation = project && (await this.handover.current(owner, project));
    // An import may have dated messages ahead of the clock.
    const isKnown = date <= this.clock.now() && (conversation?.since ?? 0) <= date - LATE_MS;
    return conversation && conversation.since > 0 && !isKnown ? shownState(conversation) : undefined;
  }

  private async startOf(owner: Owner, last?: string): Promise<Start> {
    const known = last !== undefined && MESSAGE_ID.test(last) ? await this.messages.cursorOf(owner, last) : null;
    const isReset = last !== undefined && (!known || (await this.feed.hasMoreThan(MAX_REPLAYED, owner, known)));
    const from = known && !isReset ? known : await this.messages.newest(owner);
    return { from: from ?? BEFORE_ALL, isReset };
  }
}
