import type { Avatar, ChatType, ResolvedProject } from '../../catalogue/index.js';
import { isRealtimeEntry } from '../../engines/index.js';
import type { TurnDetection } from 'avatar-chat-media';
import { type AudioFormat, PCM, PCMU } from '../input/audio.formats.js';
import { LiveError } from '../live.error.js';

/** When turns end, and what happens then. */
interface Detection extends TurnDetection {
  readonly type: 'server_vad' | 'semantic_vad';
  readonly create_response: boolean;
  readonly interrupt_response: boolean;
}

/** Session settings that a client may change. */
export interface SessionConfig {
  readonly output_modality: 'audio' | 'text';
  readonly chat_type: ChatType;
  readonly language_code: string;
  readonly input_format: AudioFormat;
  readonly output_format: AudioFormat;
  /** Null: push to talk. */
  readonly turn_detection: Detection | null;
}

/** The transcription model requested from an OpenAI Realtime server. */
export const HOSTED_TRANSCRIPTION = 'gpt-4o-mini-transcribe';

const DETECTION: Detection = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 500,
  create_response: true,
  interrupt_response: true,
};
/** Limits of a client's settings, in milliseconds. */
const MAX_PADDING = 5000;
const MAX_SILENCE = 30_000;
/** Shorter silences also occur between words. */
const MIN_SILENCE = 100;

/** The initial settings of a session. */
export function firstConfig({ project }: ResolvedProject, language_code: string): SessionConfig {
  const { chat_types } = project.settings;
  return {
    output_modality: 'audio',
    chat_type: chat_types.includes('voice') ? 'voice' : (chat_types[0] ?? 'voice'),
    language_code,
    input_format: PCM,
    output_format: PCM,
    turn_detection: DETECTION,
  };
}

/**
 * Settings after a `session.update`. Unknown fields are ignored.
 *
 * @throws LiveError for an invalid value; then nothing of the update applies
 */
export function updatedConfig(config: SessionConfig, update: unknown, resolved: ResolvedProject): SessionConfig {
  const session = object(update, 'session') ?? {};
  const audio = object(session.audio, 'session.audio') ?? {};
  const input = object(audio.input, 'session.audio.input') ?? {};
  const output = object(audio.output, 'session.audio.output') ?? {};
  const transcription = object(input.transcription, 'session.audio.input.transcription') ?? {};
  return {
    output_modality: modalityOf(session.output_modalities) ?? config.output_modality,
    chat_type: chatTypeOf(session.chat_type, resolved) ?? config.chat_type,
    language_code: languageOf(transcription.language, resolved) ?? config.language_code,
    input_format: formatOf(input.format, 'session.audio.input.format') ?? config.input_format,
    output_format: formatOf(output.format, 'session.audio.output.format') ?? config.output_format,
    turn_detection:
      input.turn_detection === null
        ? null
        : detectionOf(input.turn_detection, config.turn_detection ?? DETECTION, config),
  };
}

/** Settings with those of a client secret, which were valid when it was issued. */
export function givenConfig(config: SessionConfig, given: unknown, resolved: ResolvedProject): SessionConfig {
  try {
    return updatedConfig(config, given, resolved);
  } catch {
    return config;
  }
}

/** A session in the format for clients. @param isHearing whether speech can be recognized */
export function describeSession(
  id: string,
  { avatar, resolved, expires }: { avatar: Avatar; resolved: ResolvedProject; expires: number },
  config: SessionConfig,
  isHearing: boolean,
): Record<string, unknown> {
  return {
    type: 'realtime',
    object: 'realtime.session',
    id,
    model: avatar._id,
    ...describeConfig(config, avatar, isHearing ? resolved : undefined),
    tools: [],
    tool_choice: 'auto',
    tracing: null,
    expires_at: Math.floor(expires / 1000),
  };
}

function describeConfig(
  { output_modality, chat_type, language_code, input_format, output_format, turn_detection }: SessionConfig,
  { _id, engine }: Avatar,
  understood: ResolvedProject | undefined,
): Record<string, unknown> {
  const model = isRealtimeEntry(engine)
    ? HOSTED_TRANSCRIPTION
    : (understood?.project.speech?.transcriber?.kind ?? 'moonshine');
  return {
    output_modalities: [output_modality],
    chat_type,
    audio: {
      input: {
        format: input_format,
        transcription: understood ? { model, language: language_code } : null,
        noise_reduction: null,
        turn_detection,
      },
      output: { format: output_format, voice: _id, speed: 1 },
    },
  };
}

/** Overrides of the session's settings in a `response.create`. @throws LiveError */
export function modalityOf(value: unknown): SessionConfig['output_modality'] | undefined {
  if (value === undefined || value === null) return undefined;
  const [only, ...rest] = Array.isArray(value) ? (value as unknown[]) : [];
  if ((only !== 'audio' && only !== 'text') || rest.length > 0)
    throw invalid('output_modalities', 'must be ["audio"] or ["text"]');
  return only;
}

function chatTypeOf(value: unknown, { project }: ResolvedProject): ChatType | undefined {
  if (value === undefined || value === null) return undefined;
  if ((value !== 'voice' && value !== 'video') || !project.settings.chat_types.includes(value))
    throw invalid('chat_type', 'must be "voice" or "video", and one of those that GET /connection lists');
  return value;
}

function languageOf(value: unknown, { languages }: ResolvedProject): string | undefined {
  if (value === undefined || value === null) return undefined;
  const wanted = typeof value === 'string' ? value.toLowerCase() : '';
  const codes = languages.map(({ language_code }) => language_code);
  const found =
    codes.find((code) => code.toLowerCase() === wanted) ??
    codes.find((code) => primary(code.toLowerCase()) === primary(wanted));
  if (!found) throw invalid('transcription.language', 'must be one of the languages that GET /connection lists');
  return found;
}

function formatOf(value: unknown, name: string): AudioFormat | undefined {
  const format = object(value, name);
  if (!format) return undefined;
  if (format.type === 'audio/pcmu') return PCMU;
  if (format.type === 'audio/pcm' && (format.rate ?? 24_000) === 24_000) return PCM;
  throw invalid(name, 'must be {"type":"audio/pcm","rate":24000} or {"type":"audio/pcmu"}');
}

function detectionOf(value: unknown, base: Detection, { turn_detection }: SessionConfig): Detection | null {
  if (value === undefined) return turn_detection;
  const given = object(value, 'turn_detection')!;
  const { type = base.type } = given;
  if (type !== 'server_vad' && type !== 'semantic_vad')
    throw invalid('turn_detection.type', 'must be "server_vad" or "semantic_vad"');
  return {
    type,
    threshold: numberOf(given, 'threshold', 0, 1) ?? base.threshold,
    prefix_padding_ms: numberOf(given, 'prefix_padding_ms', 0, MAX_PADDING) ?? base.prefix_padding_ms,
    silence_duration_ms: numberOf(given, 'silence_duration_ms', MIN_SILENCE, MAX_SILENCE) ?? base.silence_duration_ms,
    create_response: booleanOf(given, 'create_response') ?? base.create_response,
    interrupt_response: booleanOf(given, 'interrupt_response') ?? base.interrupt_response,
  };
}

function numberOf(given: Record<string, unknown>, name: string, min: number, max: number): number | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value >= min && value <= max))
    throw invalid(`turn_detection.${name}`, `must be a number from ${min} to ${max}`);
  return value;
}

function booleanOf(given: Record<string, unknown>, name: string): boolean | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw invalid(`turn_detection.${name}`, 'must be true or false');
  return value;
}

function object(value: unknown, name: string): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid(name, 'must be an object');
  return value as Record<string, unknown>;
}

function invalid(name: string, rule: string): LiveError {
  return new LiveError('invalid_value', `${name} ${rule}.`);
}

/** `en` of `en-US`. */
function primary(code: string): string {
  return code.split('-', 1)[0]!;
}
