import { randomBytes } from 'node:crypto';
import { type SpeechSamples, visemesOf } from 'avatar-chat-media';
import { type AudioFormat, encodeAudio } from '../input/audio.formats.js';
import { type Item, presentItem } from '../session/conversation.js';
import type { ServerEvent } from '../live.connection.js';
import type { HeardWord } from './spoken.answer.js';

export type ResponseStatus = 'in_progress' | 'completed' | 'cancelled' | 'failed';

export const newResponseId = () => `resp_${randomBytes(12).toString('base64url')}`;

/** The output of a response that was cancelled before it started. */
export function cancelledBeforehand(): ServerEvent {
  const status_details = { type: 'cancelled', reason: 'client_cancelled' };
  const response = {
    object: 'realtime.response',
    id: newResponseId(),
    status: 'cancelled',
    status_details,
    output: [],
  };
  return { type: 'response.done', response };
}

export interface ResponseEventsOptions {
  /** Events of the response. */
  readonly id: string;
  readonly item: Item;
  readonly format: AudioFormat;
  send(event: ServerEvent): void;
}

/** Sends the events of a response to the client. */
export class ResponseEvents {
  private isShown = false;

  constructor(private readonly options: ResponseEventsOptions) {}

  created(): void {
    this.emit('response.created', { response: this.describe('in_progress', null) });
  }

  /** Adds the item to the conversation, once it has content. */
  begun(previous_item_id: string | null): void {
    this.isShown = true;
    const item = { ...presentItem(this.options.item), content: [] };
    this.emit('response.output_item.added', { response_id: this.options.id, output_index: 0, item });
    this.emit('conversation.item.added', { previous_item_id, item });
    this.emitPart('response.content_part.added', { part: this.part('') });
  }

  text(delta: string): void {
    const spoken = this.options.item.spoken;
    this.emitPart(spoken ? 'response.output_audio_transcript.delta' : 'response.output_text.delta', { delta });
  }

  /** Visemes and words of a sentence that starts now. @param offset its start, in milliseconds of the answer's audio */
  sentence(sound: SpeechSamples, words: readonly HeardWord[], offset: number): void {
    for (const { at, viseme_id } of visemesOf(sound))
      this.emitPart('response.animation_viseme.delta', { audio_offset_ms: offset + Math.round(at * 1000), viseme_id });
    for (const { text, start, end } of words) {
      const times = { audio_offset_ms: start, audio_duration_ms: end - start, timestamp_type: 'word' };
      this.emitPart('response.audio_timestamp.delta', { text, ...times });
    }
  }

  sound(samples: Int16Array): void {
    const delta = encodeAudio(samples, this.options.format).toString('base64');
    this.emitPart('response.output_audio.delta', { delta });
  }

  /** The closing events, `response.done` last. */
  ended(status: ResponseStatus, details: object | null, text: string, previous_item_id: string | null): void {
    if (this.isShown) {
      if (this.options.item.spoken) {
        this.emitPart('response.output_audio.done', {});
        this.emitPart('response.output_audio_transcript.done', { transcript: text });
      } else this.emitPart('response.output_text.done', { text });
      const item = presentItem(this.options.item);
      this.emitPart('response.content_part.done', { part: this.part(text) });
      this.emit('response.output_item.done', { response_id: this.options.id, output_index: 0, item });
      this.emit('conversation.item.done', { previous_item_id, item });
    }
    this.emit('response.done', { response: this.describe(status, details) });
  }

  private describe(status: ResponseStatus, status_details: object | null): Record<string, unknown> {
    const { id, item, format } = this.options;
    return {
      object: 'realtime.response',
      id,
      status,
      status_details,
      output: this.isShown ? [presentItem(item)] : [],
      output_modalities: [item.spoken ? 'audio' : 'text'],
      audio: { output: { format } },
      usage: null,
      metadata: null,
    };
  }

  private part(text: string): Record<string, unknown> {
    return this.options.item.spoken ? { type: 'audio', transcript: text } : { type: 'text', text };
  }

  private emitPart(type: string, more: Record<string, unknown>): void {
    const { id, item } = this.options;
    this.emit(type, { response_id: id, item_id: item.id, output_index: 0, content_index: 0, ...more });
  }

  private emit(type: string, more: Record<string, unknown>): void {
    this.options.send({ type, ...more });
  }
}
