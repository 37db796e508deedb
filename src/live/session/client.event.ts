import { MAX_REQUEST } from '../../messages/index.js';
import type { Item } from './conversation.js';
import { LiveError } from '../live.error.js';

/** Maximum length of an item identifier from a client, in characters. */
const MAX_ID = 128;

/** An event from a client, with unvalidated fields. */
export type ClientEvent = Readonly<Record<string, unknown>>;

/** @throws LiveError if a message is not an event */
export function parseEvent(message: string): ClientEvent {
  let event: unknown;
  try {
    event = JSON.parse(message);
  } catch {
    throw new LiveError('invalid_json', 'The message is not valid JSON.');
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new LiveError('invalid_json', 'The message must be a JSON object.');
  return event as ClientEvent;
}

/** The `item` of a `conversation.item.create`. @throws LiveError if it is invalid */
export function givenItem(value: unknown): { id?: string; role: Item['role']; text: string } {
  const { id, type = 'message', role, content } = (value ?? {}) as Record<string, unknown>;
  if (type !== 'message') throw new LiveError('invalid_value', 'item.type must be "message".');
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new LiveError('invalid_value', 'item.role must be "user", "assistant" or "system".');
  if (id !== undefined && (typeof id !== 'string' || id.length === 0 || id.length > MAX_ID))
    throw new LiveError('invalid_value', `item.id must be a text of 1 to ${MAX_ID} characters.`);
  const parts = Array.isArray(content) ? (content as (Record<string, unknown> | null)[]) : [];
  const text = parts.map((part) => textOf(part)).join('');
  if (text.length === 0 || text.length > MAX_REQUEST)
    throw new LiveError('invalid_value', `item.content must hold a text of 1 to ${MAX_REQUEST} characters.`);
  return { ...(id === undefined ? {} : { id }), role, text };
}

/** Images, and audio without a transcript, have no text. */
function textOf(part: Record<string, unknown> | null): string {
  const text = part?.text ?? part?.transcript ?? '';
  if (typeof text !== 'string') throw new LiveError('invalid_value', 'item.content must hold texts.');
  return text;
}
