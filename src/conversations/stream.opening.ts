import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Owner, TokenValidity } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { ErasureFences } from '../erasure/index.js';
import { FileUrls } from '../files/index.js';
import { type ConversationShown, HandoverService, shownState } from '../handover/index.js';
import {
  BEFORE_ALL,
  type Brief,
  MAX_POSITIONS,
  MESSAGE_ID,
  type MessageDocument,
  MessageFeed,
  MessageRepository,
  present,
} from '../messages/index.js';
import { Clock } from '../platform/config/index.js';
import { beginResponse, EVENT_STREAM_HEADERS } from '../platform/http/index.js';
import type { EventStream, StreamOptions } from './event.stream.js';
import { EventStreams } from './event.streams.js';
import type { EventsQuery } from './operator.dto.js';
import { MAX_LATE_MS, ProjectPosition, SETTLED_MS, UserPosition, wasSentBefore } from './positions.js';

/** Messages that a stream replays at most. */
export const MAX_REPLAYED = 1000;
/** How much later than a message a client learns at most of a change before it, by whichever clock, in milliseconds. */
const LATE_MS = 30_000;

/** Who asks for a stream, and the last message that it has. */
type StreamClient = Pick<StreamOptions, 'begin' | 'holders'> & { readonly last: string | undefined };

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
    const [known] = last !== undefined && MESSAGE_ID.test(last) ? await this.feed.inOrder(project_id, [last]) : [];
    let from = this.clock.now() - SETTLED_MS;
    let seen: Brief[] = [];
    let isReset = last !== undefined;
    if (known) {
      const start = known.date - MAX_LATE_MS;
      const recent = await this.feed.ofProject(project_id, start, 2 * MAX_REPLAYED + 1);
      const sent = recent.filter((message) => wasSentBefore(message, known));
      isReset = recent.length - sent.length > MAX_REPLAYED || recent.length > 2 * MAX_REPLAYED;
      if (!isReset) [from, seen] = [start, sent];
    }
    if (!known || isReset) seen = await this.feed.ofProject(project_id, from, MAX_POSITIONS);
    const position = new ProjectPosition(this.feed, project_id, from, this.clock, seen);
    // That of all its streams, if this is the first one.
    position.shared = new ProjectPosition(this.feed, project_id, from, this.clock, seen);
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

  private async startOf(owner: Owner, last?: string) {
    const known = last !== undefined && MESSAGE_ID.test(last) ? await this.messages.cursorOf(owner, last) : null;
    const isReset = last !== undefined && (!known || (await this.feed.hasMoreThan(MAX_REPLAYED, owner, known)));
    const from = known && !isReset ? known : await this.messages.newest(owner);
    return { from: from ?? BEFORE_ALL, isReset };
  }
}

/** Sends a stream as the response to a GET; a HEAD gets its headers. @param open opens the stream of this client */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { last_event_id }: EventsQuery,
  holders: readonly string[],
  open: (client: StreamClient) => Promise<unknown>,
): Promise<void> {
  const given = request.headers['last-event-id'] || last_event_id;
  // Repeated parameters name no event.
  const last = given === undefined || given === '' ? undefined : String(given);
  if (request.method === 'HEAD') await reply.status(200).headers(EVENT_STREAM_HEADERS).send('');
  else await open({ holders, last, begin: () => beginResponse(request, reply.headers(EVENT_STREAM_HEADERS)) });
}
