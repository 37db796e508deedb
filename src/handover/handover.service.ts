import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import { CatalogueService, chosenLanguage, type Project } from '../catalogue/index.js';
import { ErasureFences, isGone } from '../erasure/index.js';
import { Events } from '../events/index.js';
import { Clock } from '../platform/config/index.js';
import { failure, ServiceError } from '../platform/errors/index.js';
import { MessageRecorder, MessageRepository } from '../messages/index.js';
import { ConversationRepository } from './conversation.repository.js';
import type { ConversationDocument } from './conversation.schema.js';
import { ConversationSignals } from './conversation.signals.js';
import {
  type ChangedBy,
  type Conversation,
  type ConversationWish,
  deadlineOf,
  nextConversation,
  shownState,
  WITH_AVATAR,
} from './handover.rules.js';

/** How often a change is tried that other processes get in the way of. */
const ATTEMPTS = 5;

const EVENTS = {
  avatar: 'conversation.returned',
  waiting: 'conversation.waiting',
  person: 'conversation.taken',
} as const;

type Subject = Pick<Owner, 'project_id' | 'user_id'>;

/** Decides whether the avatar or a person answers. */
@Injectable()
export class HandoverService {
  constructor(
    private readonly repository: ConversationRepository,
    private readonly signals: ConversationSignals,
    private readonly messages: MessageRepository,
    private readonly recorder: MessageRecorder,
    private readonly catalogue: CatalogueService,
    private readonly fences: ErasureFences,
    private readonly events: Events,
    private readonly clock: Clock,
  ) {}

  /** Who answers. Without hand-over in the project it is the avatar, and nothing is read. */
  async current(owner: Owner, { handover }: Project): Promise<Conversation> {
    if (!handover?.enabled) return WITH_AVATAR;
    const stored = await this.repository.find(owner);
    if (!stored) return WITH_AVATAR;
    return this.isDue(stored) ? this.change(owner, { state: 'avatar', by: 'timeout' }) : shown(stored);
  }

  /**
   * Changes who answers. What changes nothing has no effect.
   *
   * @param avatar_id the avatar that hands over, if it does; by default the one that the user talked with last
   * @throws ServiceError `handover_disabled`, `conversation_taken`, `user_erased`, `project_not_found`
   */
  async change(owner: Owner, wish: ConversationWish, avatar_id?: string): Promise<Conversation> {
    const { handover } = (await this.catalogue.resolvedProject(owner.project_id)).project;
    if (!handover?.enabled && wish.state !== 'avatar') throw failure('handover_disabled');
    const fence = await this.fences.currentFence();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = await this.repository.find(owner);
      if (wish.by === 'timeout' && !(known && this.isDue(known))) return known ? shown(known) : WITH_AVATAR;
      const now = this.clock.now();
      const next = nextConversation(known ?? WITH_AVATAR, wish, now);
      if (next === 'taken') throw failure('conversation_taken');
      if (!next) return known ? shown(known) : WITH_AVATAR;
      const deadline = deadlineOf(next.state, handover ?? {}, now);
      if (!(await this.repository.change(owner, known, { ...next, deadline }, fence))) continue;
      await this.assertNotErased(owner, fence);
      if (next.state === 'waiting' && handover?.message) await this.storeMessage(owner, handover.message, avatar_id);
      await this.publish(owner, next, wish.by, (known?.revision ?? 0) + 1);
      return next;
    }
    throw failure('service_unavailable');
  }

  /** A person has written: the time until the conversation returns begins anew. */
  async postponeReturn(owner: Owner, { handover }: Project, name: string): Promise<void> {
    if (handover) await this.repository.postpone(owner, name, deadlineOf('person', handover, this.clock.now())!);
  }

  /** A message was stored that is no answer: live sessions speak it. */
  async announceMessage(owner: Owner, message_id: string): Promise<void> {
    await this.signals.send(owner, 'said', { message_id });
  }

  /** Returns conversations whose time is up. @returns how many have returned */
  async returnDue(limit: number): Promise<number> {
    const due = await this.repository.findDue(this.clock.now(), limit);
    let returned = 0;
    for (const { project_id, user_id } of due)
      await this.change(new Owner(project_id, user_id), { state: 'avatar', by: 'timeout' }).then(
        () => returned++,
        (error: unknown) => {
          // Of a removed project or an erased user: the others have to return.
          if (!(error instanceof ServiceError)) throw error;
        },
      );
    return returned;
  }

  private isDue({ deadline }: ConversationDocument): boolean {
    return deadline !== undefined && deadline <= this.clock.now();
  }

  /** Undoes what was stored, if it must not stay. */
  private async assertNotErased(owner: Owner, fence: number): Promise<void> {
    await this.fences.assertNotErased(owner, fence).catch(async (error: unknown) => {
      if (isGone(error)) await this.repository.removeBefore(subjectOf(owner), fence + 1);
      throw error;
    });
  }

  /** What the avatar says when it hands over. */
  private async storeMessage(owner: Owner, answer: string, avatar_id?: string): Promise<void> {
    const [resolved, newest] = await Promise.all([
      this.catalogue.resolvedProject(owner.project_id),
      this.messages.newestRequest(owner),
    ]);
    const wanted = avatar_id ?? newest?.avatar_id;
    const avatar = resolved.avatars.find(({ _id }) => _id === wanted) ?? resolved.avatars[0];
    if (!avatar) return;
    const draft = {
      direction: 'incoming' as const,
      request: newest?.request ?? '',
      answer,
      avatar_id: avatar._id,
      avatar_name: avatar.name,
      chat_type: newest?.chat_type ?? ('text' as const),
      language_code: newest?.language_code ?? chosenLanguage(resolved),
    };
    const [message] = await this.recorder.append(owner, [draft], this.clock.now());
    await this.announceMessage(owner, message!._id);
  }

  private async publish(owner: Owner, next: Conversation, by: ChangedBy, revision: number): Promise<void> {
    const state = shownState(next);
    await Promise.all([
      this.signals.send(owner, 'conversation', { ...state }, revision),
      this.events.publish(EVENTS[next.state], { ...subjectOf(owner), ...state, by }),
    ]);
  }
}

function subjectOf({ project_id, user_id }: Owner): Subject {
  return { project_id, user_id };
}

function shown({ state, name, since }: ConversationDocument): Conversation {
  return { state, ...(name === undefined ? {} : { name }), since };
}
