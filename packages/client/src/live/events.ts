import type { AvatarChatError } from '../error.js';

/** How the ends of turns are found: by the service, or, where it is `null`, by {@link LiveSession.commit} alone. */
export interface TurnDetection {
  type: 'server_vad' | 'semantic_vad';
  /** From 0 to 1: how sure one must be that it is speech. */
  threshold?: number;
  prefix_padding_ms?: number;
  /** A silence as long as this ends a turn. */
  silence_duration_ms?: number;
  /** Whether the avatar answers each turn by itself. */
  create_response?: boolean;
  /** Whether speech stops the avatar. */
  interrupt_response?: boolean;
}

/** What a session can be told to do otherwise; what is left out stays. */
export interface LiveSettings {
  audio?: {
    input?: {
      turn_detection?: TurnDetection | null;
      transcription?: { language?: string };
    };
  };
  output_modalities?: ('audio' | 'text')[];
  /** As what turns are stored; `voice` at first. */
  chat_type?: 'voice' | 'video';
}

/** The session as the service has it. */
export interface LiveSessionInfo {
  id: string;
  /** The avatar. */
  model: string;
  output_modalities: string[];
  audio: {
    input: {
      turn_detection: TurnDetection | null;
      /** `null` where speech is not understood; text is. */
      transcription: { language?: string } | null;
    };
  };
}

export interface LiveItem {
  id: string;
  role: 'user' | 'assistant';
  content: { type: string; text?: string; transcript?: string }[];
}

/** One answer of the avatar. */
export interface LiveResponse {
  id: string;
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete';
  status_details?: { type?: string; reason?: string; error?: { code?: string; message?: string } | null } | null;
  output: LiveItem[];
}

interface OfItem {
  item_id: string;
}
interface OfResponse extends OfItem {
  response_id: string;
}
interface Spoken {
  /** From the start of the answer's sound. */
  audio_offset_ms: number;
}

/** What comes from the service, by type; those of the OpenAI Realtime interface that are not here come too. */
export interface LiveServerEvents {
  'session.created': { session: LiveSessionInfo; resumed?: boolean };
  'session.updated': { session: LiveSessionInfo };
  /** The session ends soon; after a `shutdown` it goes on elsewhere. */
  'session.going_away': { reason: 'token_expired' | 'shutdown' | (string & {}); time_left_ms?: number };
  error: { error: { type: string; code?: string | null; message: string; event_id?: string | null } };
  'input_audio_buffer.speech_started': OfItem & { audio_start_ms: number };
  'input_audio_buffer.speech_stopped': OfItem & { audio_end_ms: number };
  'input_audio_buffer.committed': OfItem;
  'input_audio_buffer.cleared': object;
  'conversation.item.added': { item: LiveItem; previous_item_id?: string | null };
  'conversation.item.done': { item: LiveItem; previous_item_id?: string | null };
  'conversation.item.deleted': OfItem;
  'conversation.item.truncated': OfItem & { audio_end_ms: number };
  'conversation.item.retrieved': { item: LiveItem };
  /** More of what the user says. */
  'conversation.item.input_audio_transcription.delta': OfItem & { delta: string };
  'conversation.item.input_audio_transcription.completed': OfItem & { transcript: string };
  'response.created': { response: LiveResponse };
  'response.output_item.added': { response_id: string; item: LiveItem };
  'response.output_audio_transcript.delta': OfResponse & { delta: string };
  'response.output_audio_transcript.done': OfResponse & { transcript: string };
  'response.output_text.delta': OfResponse & { delta: string };
  'response.output_text.done': OfResponse & { text: string };
  /** Base64 of sixteen-bit samples, 24,000 a second; {@link samplesOf} reads it. */
  'response.output_audio.delta': OfResponse & { delta: string };
  'response.output_audio.done': OfResponse;
  /** The shape of the mouth, 0–21 as Azure numbers them. */
  'response.animation_viseme.delta': OfResponse & Spoken & { viseme_id: number };
  /** A word; together they are the transcript. */
  'response.audio_timestamp.delta': OfResponse & Spoken & { text: string; audio_duration_ms: number };
  'response.done': { response: LiveResponse };
}

/** What a {@link LiveSession} tells: the service's events, `lost` and `closed`. */
export type LiveEvents = {
  [Type in keyof LiveServerEvents]: LiveServerEvents[Type] & { type: Type; event_id: string };
} & {
  /** The connection is lost; `session.created` comes when there is one again. */
  lost: { type: 'lost' };
  /** The session has ended, with an error unless it was closed or idle. The last event. */
  closed: { type: 'closed'; error?: AvatarChatError };
};
