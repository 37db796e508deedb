import { randomBytes } from 'node:crypto';
import { type SpeechSamples, visemesOf } from 'avatar-chat-media';
import { type AudioFormat, encodeAudio } from '../input/audio.formats.js';
import { type Item, toItemEvent } from '../session/conversation.js';
import type { ServerEvent } from '../live.connection.js';
import type { Modality, OutputLimit } from '../session/session.config.js';
import type { Metadata } from './response.request.js';
import { TokenCount } from './token.count.js';
import type { HeardWord } from './spoken.answer.js';

export type ResponseStatus = 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete';

export const newResponseId = () => `resp_${randomBytes(12).toString('base64url')}`;

/** What a response is, apart from its progress. */
export interface ResponseFrame {
  readonly modality: Modality;
  readonly format: AudioFormat;
  readonly metadata: Metadata | null;
  /** Null if it is no part of the conversation. */
  readonly conversation_id: string | null;
  readonly max_output_tokens: OutputLimit;
}

interface ResponseState {
  readonly id: string;
  readonly status: ResponseStatus;
  readonly status_details?: object | null;
  readonly output?: readonly object[];
  readonly usage?: TokenCount | null;
}

/** A response, with all fields that clients know. */
function describeResponse(frame: ResponseFrame, state: ResponseState): Record<string, unknown> {
  const { modality, format, metadata, conversation_id, max_output_tokens } = frame;
  const { id, status, status_details = null, output = [], usage } = state;
  return {
    object: 'realtime.response',
    id,
    status,
    status_details,
    output,
    conversation_id,
    output_modalities: [modality],
    max_output_tokens,
    audio: { output: { format, voice: null } },
    usage: usage ? describeUsage(usage) : null,
    metadata,
  };
}

function describeUsage({ input, output }: TokenCount): Record<string, unknown> {
  const cached_tokens_details = { text_tokens: 0, audio_tokens: 0, image_tokens: 0 };
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: input,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: 0,
      cached_tokens_details,
    },
    output_token_details: { text_tokens: output, audio_tokens: 0 },
  };
}

export const NO_TOKENS = new TokenCount();

/** The end of a response that was cancelled before it started. */
export function cancelledBeforehand(frame: ResponseFrame): ServerEvent {
  const status_details = { type: 'cancelled', reason: 'client_cancelled' };
  const state = { id: newResponseId(), status: 'cancelled', status_details, usage: NO_TOKENS } as const;
  return { type: 'response.done', response: describeResponse(frame, state) };
}

/** A response without content, for clients that wait for one after each turn. */
export function emptyResponse(frame: ResponseFrame): ServerEvent[] {
  const id = newResponseId();
  const response = (state: Omit<ResponseState, 'id'>) => describeResponse(frame, { id, ...state });
  return [
    { type: 'response.created', response: response({ status: 'in_progress' }) },
    { type: 'response.done', response: response({ status: 'completed', usage: NO_TOKENS }) },
  ];
}

export type ResponseEnd = Required<Pick<ResponseState, 'status' | 'status_details' | 'usage'>>;

export interface ResponseEventsOptions {
  /** Events of the response. */
  readonly id: string;
  readonly item: Item;
  readonly frame: ResponseFrame;
  /** Extensions that the client asked for. */
  readonly hasVisemes: boolean;
  readonly hasWords: boolean;
  send(event: ServerEvent): void;
}

/** Sends the events of a response to the client. */
export class ResponseEvents {
  /** The items that the client knows. */
  private readonly output: Item[] = [];

  constructor(private readonly options: ResponseEventsOptions) {}

  created(): void {
    this.emit('response.created', { response: this.describe({ status: 'in_progress' }) });
  }

  /** Adds the item to the conversation, once it has content. */
  begun(previous_item_id: string | null): void {
    this.output.push(this.options.item);
    this.emitItem('added', 0, previous_item_id, { ...toItemEvent(this.options.item), content: [] });
    this.emitPart('response.content_part.added', { part: this.part('') });
  }

  text(delta: string): void {
    const spoken = this.options.item.spoken;
    this.emitPart(spoken ? 'response.output_audio_transcript.delta' : 'response.output_text.delta', { delta });
  }

  /** Visemes and words of a sentence that starts now. @param offset its start, in milliseconds of the answer's audio */
  sentence(sound: SpeechSamples, words: readonly HeardWord[], offset: number): void {
    const { hasVisemes, hasWords } = this.options;
    for (const { at, viseme_id } of hasVisemes ? visemesOf(sound) : [])
      this.emitPart('response.animation_viseme.delta', { audio_offset_ms: offset + Math.round(at * 1000), viseme_id });
    for (const { text, start, end } of hasWords ? words : []) {
      const times = { audio_offset_ms: start, audio_duration_ms: end - start, timestamp_type: 'word' };
      this.emitPart('response.audio_timestamp.delta', { text, ...times });
    }
  }

  sound(samples: Int16Array): void {
    const delta = encodeAudio(samples, this.options.frame.format).toString('base64');
    this.emitPart('response.output_audio.delta', { delta });
  }

  /** The end of the text and its audio. */
  ended(text: string, previous_item_id: string | null): void {
    if (this.output.length === 0) return;
    if (this.options.item.spoken) {
      this.emitPart('response.output_audio.done', {});
      this.emitPart('response.output_audio_transcript.done', { transcript: text });
    } else this.emitPart('response.output_text.done', { text });
    this.emitPart('response.content_part.done', { part: this.part(text) });
    this.emitItem('done', 0, previous_item_id, toItemEvent(this.options.item));
  }

  /** A call of a function of the client. */
  called(item: Item, previous_item_id: string | null): void {
    const output_index = this.output.push(item) - 1;
    const shown = toItemEvent(item);
    const { call_id, name } = item.call!;
    const of = { response_id: this.options.id, item_id: item.id, output_index, call_id };
    this.emitItem('added', output_index, previous_item_id, { ...shown, status: 'in_progress', arguments: '' });
    this.emit('response.function_call_arguments.delta', { ...of, delta: item.text });
    this.emit('response.function_call_arguments.done', { ...of, name, arguments: item.text });
    this.emitItem('done', output_index, previous_item_id, shown);
  }

  done(end: ResponseEnd): void {
    this.emit('response.done', { response: this.describe(end) });
  }

  private get isOfConversation(): boolean {
    return this.options.frame.conversation_id !== null;
  }

  private describe(state: Omit<ResponseState, 'id' | 'output'>): Record<string, unknown> {
    const { id, frame } = this.options;
    return describeResponse(frame, { id, output: this.output.map(toItemEvent), ...state });
  }

  private part(text: string): Record<string, unknown> {
    return this.options.item.spoken ? { type: 'audio', transcript: text } : { type: 'text', text };
  }

  private emitItem(stage: 'added' | 'done', output_index: number, previous_item_id: string | null, item: object): void {
    this.emit(`response.output_item.${stage}`, { response_id: this.options.id, output_index, item });
    if (this.isOfConversation) this.emit(`conversation.item.${stage}`, { previous_item_id, item });
  }

  private emitPart(type: string, more: Record<string, unknown>): void {
    const { id, item } = this.options;
    this.emit(type, { response_id: id, item_id: item.id, output_index: 0, content_index: 0, ...more });
  }

  private emit(type: string, more: Record<string, unknown>): void {
    this.options.send({ type, ...more });
  }
}
