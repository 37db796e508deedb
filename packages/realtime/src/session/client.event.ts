import { fromBase64 } from '../input/audio.formats.js';
import { LiveError } from '../live.error.js';
import { type FunctionCall, type Item, newCallId } from './conversation.js';
import { type Fields, invalid, listOf, objectOf, textOf } from './session.fields.js';

/** Maximum length of an item identifier from a client, in characters. */
const MAX_ID = 128;
/** Maximum length of an item's text, in characters. */
const MAX_TEXT = 32_000;

/** Pictures in an item. */
const MAX_IMAGES = 4;
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
/** What is stored of an item that has pictures and no words. */
const PICTURE = '🖼️';

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

/** An item as a client gives it. */
export interface GivenItem {
  readonly id?: string;
  readonly role: Item['role'];
  /** Of a call its arguments, of a result its output. */
  readonly text: string;
  /** Speech that is to be transcribed. */
  readonly audio?: Buffer;
  /** Pictures, as `data:` URLs. */
  readonly images?: readonly string[];
  readonly call?: FunctionCall;
  /** The call whose result it is. */
  readonly result_of?: string;
}

/**
 * The `item` of a `conversation.item.create`.
 *
 * @param seesImages whether the avatar's model can see pictures
 * @throws LiveError if it is invalid
 */
export function givenItem(value: unknown, seesImages: boolean): GivenItem {
  const item = objectOf(value, 'item') ?? {};
  const { type = 'message' } = item;
  const id = textOf(item.id, 'item.id');
  if (id !== undefined && (id.length === 0 || id.length > MAX_ID))
    throw invalid('item.id', `must be a text of 1 to ${MAX_ID} characters`);
  const common = id === undefined ? {} : { id };
  if (type === 'message') return { ...common, ...givenMessage(item, seesImages) };
  const call_id = limited(item.call_id, 'item.call_id', MAX_ID);
  if (type === 'function_call') {
    const call = { name: limited(item.name, 'item.name', MAX_ID), call_id: call_id || newCallId() };
    return { ...common, role: 'assistant', text: limited(item.arguments, 'item.arguments'), call };
  }
  if (type === 'function_call_output')
    return { ...common, role: 'tool', text: limited(item.output, 'item.output'), result_of: call_id };
  throw invalid('item.type', 'must be "message", "function_call" or "function_call_output"');
}

type GivenMessage = Pick<GivenItem, 'role' | 'text' | 'audio' | 'images'>;

function givenMessage({ role, content }: Fields, seesImages: boolean): GivenMessage {
  if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'developer')
    throw invalid('item.role', 'must be "user", "assistant", "system" or "developer"');
  const parts = (listOf(content, 'item.content') ?? []).map((part) => objectOf(part, 'item.content') ?? {});
  const shown = parts.filter(({ type }) => type === 'input_image');
  if (shown.length > 0 && (!seesImages || role !== 'user'))
    throw new LiveError('unsupported_content_type', 'Only users may show images, and only to avatars that see them.');
  const images = shown.map(({ image_url }) => imageOf(image_url));
  if (images.length > MAX_IMAGES) throw invalid('item.content', `must have at most ${MAX_IMAGES} pictures`);
  const text = parts.map((part) => textOf(part.text ?? part.transcript, 'item.content') ?? '').join('');
  if ([...text].length > MAX_TEXT) throw invalid('item.content', `must have at most ${MAX_TEXT} characters`);
  if (images.length > 0) return { role, text: text.trim() || PICTURE, images };
  if (text.length > 0) return { role, text };
  const sounds = parts.map(({ audio }) => textOf(audio, 'item.content.audio')).filter((audio) => audio !== undefined);
  const audio = sounds.length > 0 ? fromBase64(sounds.join('')) : undefined;
  if (!audio || audio.length === 0) throw invalid('item.content', 'must hold a text, or audio in base64');
  return { role, text, audio };
}

function imageOf(value: unknown): string {
  const url = textOf(value, 'item.content.image_url') ?? '';
  if (!IMAGE.test(url))
    throw invalid('item.content.image_url', 'must be a data: URL in base64 of a PNG, JPEG, GIF or WebP picture');
  return url;
}

function limited(value: unknown, name: string, limit = MAX_TEXT): string {
  const text = textOf(value, name) ?? '';
  if ([...text].length > limit) throw invalid(name, `must have at most ${limit} characters`);
  return text;
}
