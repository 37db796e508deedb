import { Injectable } from '@nestjs/common';
import { Owner, ownerKey, USER_ID } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { FileUrls } from '../files/index.js';
import { type ConversationCursor, type ConversationDocument, ConversationRepository } from '../handover/index.js';
import { MessageRepository, present } from '../messages/index.js';
import { failure } from '../platform/errors/index.js';
import type { ListedConversation } from './conversation.dto.js';

/** The conversations of a project that wait for a person, or that people have. */
@Injectable()
export class ConversationListing {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly urls: FileUrls,
    private readonly catalogue: CatalogueService,
  ) {}

  /** @throws ServiceError `invalid_cursor` */
  async list(project_id: string, state: 'waiting' | 'person', limit: number, cursor?: string) {
    const after = cursor === undefined ? undefined : readCursor(project_id, state, cursor);
    const found = await this.conversations.list(project_id, state, limit + 1, after);
    const shown = found.slice(0, limit);
    const { avatars } = await this.catalogue.resolvedProject(project_id);
    const conversations = await Promise.all(
      shown.map(async ({ user_id, name, since }): Promise<ListedConversation> => {
        const [last] = await this.messages.page(new Owner(project_id, user_id), 0, 1);
        const { _id: avatar_id } = avatars.find(({ _id }) => _id === last?.avatar_id) ?? avatars[0] ?? {};
        return {
          user_id,
          state,
          ...(name === undefined ? {} : { name }),
          since,
          ...(last ? { last: present(last, this.urls) } : {}),
          ...(avatar_id === undefined ? {} : { avatar_id }),
        };
      }),
    );
    const end = shown.at(-1);
    return { conversations, ...(found.length > limit && end ? { cursor: writeCursor(end) } : {}) };
  }
}

/** Names the list, since a position in another one is none here. */
function writeCursor({ since, user_id, state, project_id }: ConversationDocument): string {
  return Buffer.from([since, user_id, state, project_id].join(' ')).toString('base64url');
}

function readCursor(project_id: string, state: string, cursor: string): ConversationCursor {
  const [since, user_id = '', ...list] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!/^\d{1,16}$/.test(since!) || !USER_ID.test(user_id) || list.join(' ') !== `${state} ${project_id}`)
    throw failure('invalid_cursor');
  return { since: Number(since), _id: ownerKey({ project_id, user_id }) };
}
