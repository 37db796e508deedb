import type { AudioFormat } from '../input/audio.formats.js';
import { type ClientEvent, type GivenItem, givenItem } from '../session/client.event.js';
import { type ClientTool, clientToolsOf, type ToolChoice, toolChoiceOf } from '../session/client.tools.js';
import type { Item } from '../session/conversation.js';
import {
  formatOf,
  instructionsOf,
  type Modality,
  modalityOf,
  type OutputLimit,
  outputLimitOf,
} from '../session/session.config.js';
import { type Fields, invalid, listOf, objectOf, textOf } from '../session/session.fields.js';

/** Limits of the metadata: pairs, and characters of their names and values. */
const MAX_PAIRS = 16;
const MAX_NAME = 64;
const MAX_VALUE = 512;
const MAX_INPUT = 100;

export type Metadata = Readonly<Record<string, string>>;

/** An item to be answered, or what was said before it. */
type InputItem = Pick<GivenItem, 'role' | 'text' | 'images' | 'call' | 'result_of'> & Pick<Item, 'isSeeded'>;

/** What a response is created with. */
export interface ResponseRequest {
  readonly event: ClientEvent;
  readonly modality?: Modality | undefined;
  readonly format?: AudioFormat | undefined;
  readonly metadata: Metadata | null;
  readonly instructions?: string | undefined;
  /** To be answered instead of what the user has said. */
  readonly input?: readonly InputItem[] | undefined;
  /** Whether neither the question nor the answer becomes part of the conversation. */
  readonly isOutOfBand: boolean;
  readonly max_output_tokens?: OutputLimit | undefined;
  readonly tools?: readonly ClientTool[] | undefined;
  readonly tool_choice?: ToolChoice | undefined;
  /** Whether the avatar speaks by itself: nobody waits for it. */
  readonly isUnasked?: boolean;
  /** Whether it is served unasked, since its client was lost before it was answered. */
  readonly isKept?: boolean;
}

/** Of a response at the end of a turn. */
export const NO_REQUEST: ResponseRequest = { event: {}, metadata: null, isOutOfBand: false };
export const UNASKED: ResponseRequest = { ...NO_REQUEST, isUnasked: true };

/**
 * Reads a `response.create`.
 *
 * @param find an item of the conversation
 * @param seesImages whether the avatar's model can see pictures
 * @param hasContext whether the client may have instructions and tools; otherwise any are accepted
 * @throws LiveError if it is invalid
 */
export function parseResponseRequest(
  event: ClientEvent,
  find: (id: unknown) => Item | undefined,
  seesImages: boolean,
  hasContext: boolean,
): ResponseRequest {
  const options = objectOf(event.response, 'response') ?? {};
  const { output } = objectOf(options.audio, 'response.audio') ?? {};
  const { format } = objectOf(output, 'response.audio.output') ?? {};
  return {
    event,
    modality: modalityOf(options.output_modalities),
    format: formatOf(format, 'response.audio.output.format'),
    metadata: metadataOf(options.metadata),
    instructions: (hasContext ? instructionsOf : textOf)(options.instructions, 'response.instructions') || undefined,
    input: inputOf(options.input, find, seesImages),
    isOutOfBand: textOf(options.conversation, 'response.conversation') === 'none',
    max_output_tokens: outputLimitOf(options.max_output_tokens),
    ...(hasContext ? { tools: clientToolsOf(options.tools), tool_choice: toolChoiceOf(options.tool_choice) } : {}),
  };
}

function metadataOf(value: unknown): Metadata | null {
  const metadata = objectOf(value, 'response.metadata');
  if (!metadata) return null;
  const pairs = Object.entries(metadata);
  const isValid = ([name, text]: [string, unknown]) =>
    name.length <= MAX_NAME && typeof text === 'string' && [...text].length <= MAX_VALUE;
  if (pairs.length > MAX_PAIRS || !pairs.every(isValid))
    throw invalid('response.metadata', `must be at most ${MAX_PAIRS} pairs of texts`);
  return Object.fromEntries(pairs) as Metadata;
}

function inputOf(
  value: unknown,
  find: (id: unknown) => Item | undefined,
  seesImages: boolean,
): ResponseRequest['input'] {
  const items = listOf(value, 'response.input');
  if (!items) return undefined;
  if (items.length > MAX_INPUT) throw invalid('response.input', `must have at most ${MAX_INPUT} items`);
  const given = items.map((one): GivenItem | Item => {
    const item: Fields = objectOf(one, 'response.input') ?? {};
    const known = item.type === 'item_reference' ? find(item.id) : givenItem(item, seesImages);
    if (!known) throw invalid('response.input', 'must refer to items of the conversation');
    if ('audio' in known) throw invalid('response.input', 'must hold texts, or refer to items of the conversation');
    return known;
  });
  const lastAnswer = given.findLastIndex(({ role, call }) => role === 'assistant' && !call);
  return given.map((item, index) => ({
    role: item.role,
    // Not before the transcripts, for which the response waits.
    get text() {
      return item.text ?? '';
    },
    ...(item.images ? { images: item.images } : {}),
    ...(item.call ? { call: item.call } : {}),
    ...(item.result_of === undefined ? {} : { result_of: item.result_of }),
    ...(index < lastAnswer || item.call ? { isSeeded: true } : {}),
  }));
}
