import { Injectable } from '@nestjs/common';
import { Owner, ownerKey } from '../auth/index.js';
import type { Avatar, Project } from 'avatar-chat-catalogue';
import { CatalogueService, chosenLanguage } from '../catalogue/index.js';
import { type ErasureFence, ErasureFences, isGone } from '../erasure/index.js';
import { Events, type ServiceEvent, Signals } from '../events/index.js';
import { BackgroundWork } from '../platform/background/index.js';
import { Clock } from '../platform/config/index.js';
import { newId } from '../platform/database/index.js';
import { failure, ServiceError } from '../platform/errors/index.js';
import { type MessageDocument, MessageRecorder, MessageRepository } from '../messages/index.js';
import { ConversationRepository } from './conversation.repository.js';
import type { ConversationDocument } from './conversation.schema.js';
import { HandoverData } from './handover.data.js';
import {
  type Conversation,
  type ConversationShown,
  type ConversationWish,
  deadlineOf,
  nextConversation,
  shownState,
  WITH_AVATAR,
} from './handover.rules.js';

/** How often a change is tried that other processes get in the way of. */
const ATTEMPTS = 5;
/** How often conversations are looked for whose time is up, in milliseconds, and how many at a time. */
const SETTLE_MS = 5000;
const BATCH = 100;
/** How long a message is news, in milliseconds: shorter than its signal is kept. */
const NEW_MS = 90_000;

const EVENTS = {
  avatar: 'conversation.returned',
  waiting: 'conversation.waiting',
  person: 'conversation.taken',
} as const;

type Saying = Pick<MessageDocument, 'request' | 'answer' | 'chat_type' | 'language_code'> & { key: string };

/** Decides whether the avatar or a person answers. */
@Injectable()
export class HandoverService {
  constructor(
    private readonly repository: ConversationRepository,
    private readonly data: HandoverData,
    private readonly signals: Signals,
    private readonly messages: MessageRepository,
    private readonly recorder: MessageRecorder,
    private readonly catalogue: CatalogueService,
    private readonly fences: ErasureFences,
    private readonly events: Events,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({ name: 'handover', everyMs: SETTLE_MS, run: (goesOn) => this.settleDue(goesOn) });
  }

  /** Who answers. Without hand-over in the project it is the avatar, and nothing is read. */
  async current(owner: Owner, { handover }: Project): Promise<Conversation> {
    if (!handover?.enabled) return WITH_AVATAR;
    const stored = await this.repository.find(owner);
    return this.isDue(stored) ? this.change(owner, { state: 'avatar', by: 'timeout' }) : shown(stored);
  }

  /** Notes in a turn, unless it hands over itself, that the avatar is not to answer. @returns a function that ends it */
  watchConversation(turn: { owner: Owner; project: Project; conversation?: unknown }, onTaken: () => void): () => void {
    const { owner, project } = turn;
    if (!project.handover?.enabled) return () => undefined;
    const look = async (told: ConversationShown = WITH_AVATAR) => {
      // What was told may be over.
      const known = await this.current(owner, project).catch(() => told);
      if (known.state === 'avatar' || turn.conversation) return;
      turn.conversation = shownState(known);
      onTaken();
    };
    void look();
    return this.signals.subscribe(({ project_id, user_id, event, data }) => {
      const isTheirs = project_id === owner.project_id && user_id === owner.user_id;
      if (isTheirs && event === 'conversation') void look(data as unknown as ConversationShown);
    });
  }

  /**
   * Changes who answers. What changes nothing has no effect.
   *
   * @throws ServiceError `handover_disabled`, `conversation_taken`, `user_erased`, `project_not_found`
   */
  async change(owner: Owner, wish: ConversationWish): Promise<Conversation> {
    const { handover } = (await this.catalogue.resolvedProject(owner.project_id)).project;
    if (!handover?.enabled && wish.state !== 'avatar') throw failure('handover_disabled');
    const fence = await this.fences.currentFence();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = await this.repository.find(owner);
      if (known?.unpublished) {
        await this.assertNotErased(owner, known.begun);
        await this.publish(owner, known);
      }
      if (wish.by === 'timeout' && !this.isDue(known)) return shown(known);
      const now = this.clock.now();
      const next = nextConversation(known ?? WITH_AVATAR, wish, now);
      if (next === 'taken') throw failure('conversation_taken');
      if (!next) return shown(known);
      const deadline = deadlineOf(next.state, handover ?? {}, now);
      const changed = {
        _id: ownerKey(owner),
        ...owner,
        ...next,
        ...(deadline === undefined ? {} : { deadline }),
        revision: (known?.revision ?? 0) + 1,
        unpublished: { id: newId(), by: wish.by },
        begun: fence,
      };
      if (!(await this.repository.change(known, changed))) continue;
      await this.assertNotErased(owner, fence);
      void this.events.emit(eventOf(changed));
      await this.publish(owner, changed);
      return next;
    }
    throw failure('service_unavailable');
  }

  /** A person has written: the time until the conversation returns begins anew. */
  async postponeReturn(owner: Owner, { handover }: Project, { avatar_name, date }: MessageDocument): Promise<void> {
    const written = Math.min(date, this.clock.now());
    if (handover) await this.repository.postpone(owner, avatar_name!, deadlineOf('person', handover, written)!);
  }

  /** Stores a message of an avatar that nobody asked for, once. Its key has a space, which no key of a client has. */
  async say(owner: Owner, avatar: Avatar, { key, ...said }: Saying, fence: ErasureFence): Promise<void> {
    const from = { avatar_id: avatar._id, avatar_name: avatar.name };
    const draft = { direction: 'incoming' as const, ...from, ...said, idempotency_key: key };
    await this.announceMessage(owner, await this.recorder.appendOnce(owner, draft, this.clock.now(), { fence }));
  }

  /** A message was stored that is no answer: live sessions speak it, once, unless it is not new any more. */
  async announceMessage(owner: Owner, { _id, date }: MessageDocument): Promise<void> {
    if (this.clock.now() - date < NEW_MS) await this.signals.send(owner, 'said', { message_id: _id }, _id);
  }

  /** Returns conversations whose time is up, and publishes changes that were not. */
  private async settleDue(goesOn: () => boolean): Promise<void> {
    for (let settled = BATCH; settled >= BATCH && goesOn();) {
      settled = 0;
      for (const { project_id, user_id } of await this.repository.findDue(this.clock.now(), BATCH))
        await this.change(new Owner(project_id, user_id), { state: 'avatar', by: 'timeout' }).then(
          () => settled++,
          (error: unknown) => {
            // Of a removed project or an erased user: the others have to go on.
            if (!(error instanceof ServiceError)) throw error;
          },
        );
    }
  }

  private isDue(stored: ConversationDocument | null): boolean {
    return stored?.deadline !== undefined && stored.deadline <= this.clock.now();
  }

  /** Undoes what was stored, if it must not stay. @param event_id of what webhooks were told */
  private async assertNotErased(owner: Owner, fence: number, event_id?: string): Promise<void> {
    await this.fences.assertNotErased(owner, fence).catch(async (error: unknown) => {
      if (isGone(error)) await this.data.eraseUser(owner, fence + 1);
      if (isGone(error) && event_id !== undefined) await this.events.retract(event_id);
      throw error;
    });
  }

  /** What the avatar says when it hands over. */
  private async storeMessage(owner: Owner, { begun: fence, unpublished }: ConversationDocument): Promise<void> {
    const [resolved, newest] = await Promise.all([
      this.catalogue.resolvedProject(owner.project_id),
      this.messages.newestRequest(owner),
    ]);
    const answer = resolved.project.handover?.message;
    const avatar = resolved.avatars.find(({ _id }) => _id === newest?.avatar_id) ?? resolved.avatars[0];
    if (!answer || !avatar) return;
    const { request = '', chat_type = 'text', language_code = chosenLanguage(resolved) } = newest ?? {};
    const key = `handover ${unpublished!.id}`;
    await this.say(owner, avatar, { key, request, answer, chat_type, language_code }, fence);
  }

  /** Tells all but the modules of this process. What was told before, by whichever process, is not told again. */
  private async publish(owner: Owner, changed: ConversationDocument): Promise<void> {
    const { id } = changed.unpublished!;
    if (changed.state === 'waiting') await this.storeMessage(owner, changed);
    await Promise.all([
      this.signals.send(owner, 'conversation', { ...shownState(changed) }, id, changed.revision),
      this.events.enqueue(eventOf(changed)),
    ]);
    await this.assertNotErased(owner, changed.begun, eventOf(changed).id);
    await this.repository.markPublished(changed);
  }
}

function eventOf(changed: ConversationDocument): ServiceEvent {
  const { project_id, user_id, state, since, unpublished } = changed;
  const data = { project_id, user_id, ...shownState(changed), by: unpublished!.by };
  return { id: `evt_${unpublished!.id}`, type: EVENTS[state], date: since, data };
}

function shown(stored: ConversationDocument | null): Conversation {
  return stored ? { ...shownState(stored), since: stored.since } : WITH_AVATAR;
}
