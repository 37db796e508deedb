import type { Owner } from '../auth/index.js';
import type { MessageDocument, MessageRepository } from '../messages/index.js';
import { ServiceError } from '../platform/errors/index.js';

/** Errors of requests that name what the project does not offer. */
const OF_CATALOGUE = new Set(['avatar_not_found', 'invalid_chat_type', 'invalid_language_code']);

/**
 * Finds the message of a request that is repeated after its avatar, language or chat type has left the project.
 *
 * @throws `error`, with which the repetition was rejected, if there is none
 */
export async function findStored(
  messages: MessageRepository,
  owner: Owner,
  { idempotency_key: key, idempotency_digest: digest }: Partial<MessageDocument>,
  error: unknown,
): Promise<MessageDocument> {
  const isOfCatalogue = error instanceof ServiceError && OF_CATALOGUE.has(error.code);
  const found = isOfCatalogue && key !== undefined && (await messages.findByKey(owner, key));
  if (!found || found.idempotency_digest !== digest) throw error;
  return found;
}
