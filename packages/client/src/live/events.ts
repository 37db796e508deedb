import type { AvatarChatError } from '../error.js';

/** How the service detects the end of a turn. If `null`, only {@link LiveSession.commit} ends a turn. */
export interface TurnDetection {
  type: 'server_vad' | 'semantic_vad';
  /** How soon `semantic_vad` ends a turn that does not sound complete. */
  eagerness?: 'low' | 'medium' | 'high' | 'auto';
  /** In reports: the types that the service has, if it has more than `server_vad`. */
  readonly available?: readonly string[];
  /** From 0 to 1: the confidence required to treat sound as speech. */
  threshold?: number;
  prefix_padding_ms?: number;
  /** How much silence ends a turn. */
  silence_duration_ms?: number;
  /** Whether the avatar answers each turn automatically. */
  create_response?: boolean;
  /** Whether speech interrupts the avatar. */
  interrupt_response?: boolean;
}

/** Settings of a session. Omitted ones stay unchanged. */
export interface LiveSettings {
  audio?: {
    input?: {
      turn_detection?: TurnDetection | null;
      /** `interim_results` asks for words while the user speaks, which may still turn out to be others; this client does by default. */
      transcription?: { language?: string; interim_results?: boolean };
    };
  };
  output_modalities?: ('audio' | 'text')[];
  /** Requests the events of mouth shapes. */
  animation?: { outputs: 'viseme_id'[] };
  /** Requests the events of words. */
  output_audio_timestamp_types?: 'word'[];
  /** The type under which turns are stored; initially `voice`. */
  chat_type?: 'voice' | 'video';
}

/** The session as the service reports it. */
export interface LiveSessionInfo {
  id: string;
  /** The `_id` of the avatar. */
  model: string;
  output_modalities: string[];
  audio: {
    input: {
      turn_detection: TurnDetection | null;
      /** `null` if speech-to-text is unavailable. Text always works. */
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
  /** `message_id`: the response speaks a stored message that is no answer. */
  metadata?: Record<string, string> | null;
}

interface OfItem {
  item_id: string;
}
interface OfResponse extends OfItem {
  response_id: string;
}
interface Spoken {
  /** From the start of the answer's audio. */
  audio_offset_ms: number;
}

/** Server events by type. Events of the OpenAI Realtime API that are not listed here are passed on too. */
export interface LiveServerEvents {
  'session.created': { session: LiveSessionInfo; resumed?: boolean };
  'session.updated': { session: LiveSessionInfo };
  /** The session is about to end. After `shutdown`, it resumes on another process. */
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
  /** The next part of the user's transcript. */
  'conversation.item.input_audio_transcription.delta': OfItem & { delta: string };
  'conversation.item.input_audio_transcription.completed': OfItem & { transcript: string; language?: string };
  'response.created': { response: LiveResponse };
  'response.output_item.added': { response_id: string; item: LiveItem };
  'response.output_audio_transcript.delta': OfResponse & { delta: string };
  'response.output_audio_transcript.done': OfResponse & { transcript: string };
  'response.output_text.delta': OfResponse & { delta: string };
  'response.output_text.done': OfResponse & { text: string };
  /** Base64 of 16-bit samples at 24 kHz; decode it with {@link samplesOf}. */
  'response.output_audio.delta': OfResponse & { delta: string };
  'response.output_audio.done': OfResponse;
  /** The mouth shape: an Azure viseme id, 0–21. */
  'response.animation_viseme.delta': OfResponse & Spoken & { viseme_id: number };
  /** One word. Together, the words form the transcript. */
  'response.audio_timestamp.delta': OfResponse & Spoken & { text: string; audio_duration_ms: number };
  'response.done': { response: LiveResponse };
}

/** The events of a {@link LiveSession}: the service's events, `lost` and `closed`. */
export type LiveEvents = {
  [Type in keyof LiveServerEvents]: LiveServerEvents[Type] & { type: Type; event_id: string };
} & {
  /** The connection was lost. `session.created` follows when it is restored. */
  lost: { type: 'lost' };
  /** The session has ended, with an error unless it was closed or idle. This is the last event. */
  closed: { type: 'closed'; error?: AvatarChatError };
};
