import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { length } from 'class-validator';
import type { Owner } from '../auth/index.js';
import { CHAT_TYPES, type ResolvedProject } from 'avatar-chat-catalogue';
import { CatalogueService, chosenAvatar, chosenLanguage } from '../catalogue/index.js';
import { ErasureFences } from '../erasure/index.js';
import { Clock } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { HandoverService } from '../handover/index.js';
import { MessageRecorder, MessageRepository, type MessageDocument } from '../messages/index.js';
import { findStored } from './stored.request.js';

/** Maximum length of a message that nobody asked for, and of the name of who writes it, in characters. */
export const MAX_UNASKED = 8000;
export const MAX_NAME = 200;

/** A message that nobody asked for: a reminder, or what a person writes. */
export interface Unasked {
  readonly avatar_id: string;
  readonly answer: string;
  /** Who writes it; by default, the person who has the conversation, or else the avatar. */
  readonly name?: string | undefined;
  /** By default, the language of the user's newest message, or else the project's first. */
  readonly language_code?: string | undefined;
  /** By default, `text`. */
  readonly chat_type?: string | undefined;
  /** The same key and message again give the first result. */
  readonly idempotency_key?: string | undefined;
}

/** Stores messages to users that nobody asked for. */
@Injectable()
export class UnaskedMessages {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly messages: MessageRepository,
    private readonly recorder: MessageRecorder,
    private readonly handover: HandoverService,
    private readonly fences: ErasureFences,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ServiceError `avatar_not_found`, `invalid_answer`, `invalid_name`, `invalid_chat_type`,
   *   `invalid_language_code`, `idempotency_key_reused`
   */
  async add(owner: Owner, unasked: Unasked): Promise<MessageDocument> {
    return this.store(owner, unasked).catch((error: unknown) =>
      findStored(this.messages, owner, keyOf(unasked), error),
    );
  }

  private async store(owner: Owner, unasked: Unasked): Promise<MessageDocument> {
    const { answer, name } = unasked;
    const resolved = await this.catalogue.resolvedProject(owner.project_id);
    const avatar = chosenAvatar(resolved, unasked.avatar_id);
    if (!length(answer, 1, MAX_UNASKED)) throw failure('invalid_answer', MAX_UNASKED);
    if (name !== undefined && !(length(name, 1, MAX_NAME) && name.trim())) throw failure('invalid_name', MAX_NAME);
    const chat_type = CHAT_TYPES.find((type) => type === (unasked.chat_type ?? 'text'));
    if (!chat_type || !resolved.project.settings.chat_types.includes(chat_type)) throw failure('invalid_chat_type');
    const since = { fence: await this.fences.currentFence() };
    const [newest, conversation] = await Promise.all([
      this.messages.newestRequest(owner),
      this.handover.current(owner, resolved.project),
    ]);
    const key = keyOf(unasked);
    const draft = {
      direction: 'incoming' as const,
      request: newest?.request ?? '',
      answer,
      avatar_id: avatar._id,
      avatar_name: name ?? conversation.name ?? avatar.name,
      chat_type,
      language_code: languageOf(resolved, unasked, newest?.language_code),
      ...key,
    };
    const message = await this.recorder.appendOnce(owner, draft, this.clock.now(), since);
    if (message.idempotency_digest !== key.idempotency_digest) throw failure('idempotency_key_reused');
    // A repetition as well: the first attempt may not have come to it.
    const isByPerson = conversation.state === 'person' && message.avatar_name === conversation.name;
    if (isByPerson) await this.handover.postponeReturn(owner, resolved.project, message);
    if (isByPerson || avatar.hasLiveMode) await this.handover.announceMessage(owner, message);
    return message;
  }
}

function languageOf(resolved: ResolvedProject, { language_code }: Unasked, last?: string): string {
  const isOffered = resolved.languages.some((one) => one.language_code === last);
  return chosenLanguage(resolved, language_code ?? (isOffered ? last : undefined));
}

/** With a space, which no key of a client has: users cannot take an operator's keys. */
function keyOf({ idempotency_key, ...said }: Unasked): { idempotency_key?: string; idempotency_digest?: string } {
  if (idempotency_key === undefined) return {};
  const { avatar_id, answer, name, language_code, chat_type } = said;
  const parts = [avatar_id, answer, name, language_code, chat_type].map((part) => part ?? null);
  return {
    idempotency_key: `unasked ${idempotency_key}`,
    idempotency_digest: hash('sha256', JSON.stringify(parts), 'base64url'),
  };
}
