import type { ChatType, ResolvedProject } from 'avatar-chat-catalogue';
import type { TurnDetection } from 'avatar-chat-media';
import { type AudioFormat, PCM, PCMA, PCMU } from '../input/audio.formats.js';
import { type ClientTool, clientToolsOf, type ToolChoice, toolChoiceOf } from './client.tools.js';
import { booleanOf, type Fields, integerOf, invalid, listOf, numberOf, objectOf, textOf } from './session.fields.js';

/** How eagerly a turn counts as complete by its meaning. */
const EAGERNESS = ['low', 'medium', 'high', 'auto'] as const;

/** When turns end, and what happens then. */
interface Detection extends TurnDetection {
  readonly type: NonNullable<TurnDetection['type']>;
  readonly create_response: boolean;
  readonly interrupt_response: boolean;
  /** How long the user may be silent until the avatar speaks again. */
  readonly idle_timeout_ms?: number;
}

/** Session settings that a client may change. */
export interface SessionConfig {
  readonly output_modality: Modality;
  readonly chat_type: ChatType;
  readonly language_code: string;
  readonly input_format: AudioFormat;
  readonly output_format: AudioFormat;
  /** Null: push to talk. */
  readonly turn_detection: Detection | null;
  readonly max_output_tokens: OutputLimit;
  /** Whether the client asked for the events of visemes and words. */
  readonly hasVisemes: boolean;
  readonly hasWords: boolean;
  /** Whether it asked for words of the user that may still turn out to be others. */
  readonly hasInterimResults: boolean;
  /** For a model, if the project allows it. */
  readonly instructions: string;
  readonly tools: readonly ClientTool[];
  readonly tool_choice: ToolChoice;
}

export type Modality = 'audio' | 'text';
export type OutputLimit = number | 'inf';

const DETECTION: Detection = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 500,
  create_response: true,
  interrupt_response: true,
};
/** Limits of a client's settings, in milliseconds. */
const MAX_PADDING_MS = 5000;
const MAX_SILENCE_MS = 30_000;
/** Shorter silences also occur between words. */
const MIN_SILENCE_MS = 100;
const MIN_IDLE_MS = 5000;
const MAX_IDLE_MS = 30_000;
const MAX_OUTPUT_TOKENS = 4096;
/** Maximum length of instructions, in characters. */
export const MAX_INSTRUCTIONS = 32_000;

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
    max_output_tokens: 'inf',
    hasVisemes: false,
    hasWords: false,
    hasInterimResults: false,
    instructions: '',
    tools: [],
    tool_choice: 'auto',
  };
}

/**
 * Settings after a `session.update`. Unknown fields are ignored, numbers out of bounds moved to the nearest one, and
 * languages that the project lacks left out.
 *
 * @throws LiveError for a value of a wrong type; then nothing of the update applies
 */
export function updatedConfig(config: SessionConfig, update: unknown, resolved: ResolvedProject): SessionConfig {
  const session = objectOf(update, 'session') ?? {};
  const audio = objectOf(session.audio, 'session.audio') ?? {};
  const input = objectOf(audio.input, 'session.audio.input') ?? {};
  const output = objectOf(audio.output, 'session.audio.output') ?? {};
  const transcription = objectOf(input.transcription, 'session.audio.input.transcription') ?? {};
  const animation = objectOf(session.animation, 'session.animation') ?? {};
  const visemes = listOf(animation.outputs, 'session.animation.outputs');
  const words = listOf(session.output_audio_timestamp_types, 'session.output_audio_timestamp_types');
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
    max_output_tokens: outputLimitOf(session.max_output_tokens) ?? config.max_output_tokens,
    hasVisemes: visemes ? visemes.includes('viseme_id') : config.hasVisemes,
    hasWords: words ? words.includes('word') : config.hasWords,
    hasInterimResults: booleanOf(transcription.interim_results, 'interim_results') ?? config.hasInterimResults,
    ...clientContextOf(session, config, resolved),
  };
}

/** What a client may tell a model; accepted without effect if the project does not allow it. */
function clientContextOf(session: Fields, config: SessionConfig, { project }: ResolvedProject) {
  if (!project.settings.clientContext) return { instructions: '', tools: [], tool_choice: 'auto' as const };
  return {
    instructions: instructionsOf(session.instructions) ?? config.instructions,
    tools: clientToolsOf(session.tools) ?? config.tools,
    tool_choice: toolChoiceOf(session.tool_choice) ?? config.tool_choice,
  };
}

/** @throws LiveError */
export function instructionsOf(value: unknown, name = 'instructions'): string | undefined {
  const text = textOf(value, name);
  if (text !== undefined && [...text].length > MAX_INSTRUCTIONS)
    throw invalid(name, `must have at most ${MAX_INSTRUCTIONS} characters`);
  return text;
}

/** Settings with those of a client secret, which were valid when it was issued. */
export function givenConfig(config: SessionConfig, given: unknown, resolved: ResolvedProject): SessionConfig {
  try {
    return updatedConfig(config, given, resolved);
  } catch {
    return config;
  }
}

/** @throws LiveError */
export function modalityOf(value: unknown): Modality | undefined {
  const given = listOf(value, 'output_modalities');
  if (!given) return undefined;
  if (given.length === 0 || !given.every((one) => one === 'audio' || one === 'text'))
    throw invalid('output_modalities', 'must be ["audio"] or ["text"]');
  return given.includes('audio') ? 'audio' : 'text';
}

/** @throws LiveError */
export function outputLimitOf(value: unknown): OutputLimit | undefined {
  return value === 'inf' ? value : integerOf(value, 'max_output_tokens', 1, MAX_OUTPUT_TOKENS);
}

function chatTypeOf(value: unknown, { project }: ResolvedProject): ChatType | undefined {
  if (value === undefined || value === null) return undefined;
  if ((value !== 'voice' && value !== 'video') || !project.settings.chat_types.includes(value))
    throw invalid('chat_type', 'must be "voice" or "video", and one of those that GET /connection lists');
  return value;
}

/** @returns undefined if the project does not have it */
function languageOf(value: unknown, { languages }: ResolvedProject): string | undefined {
  const wanted = textOf(value, 'transcription.language')?.toLowerCase();
  if (wanted === undefined) return undefined;
  const codes = languages.map(({ language_code }) => language_code);
  return (
    codes.find((code) => code.toLowerCase() === wanted) ??
    codes.find((code) => primary(code.toLowerCase()) === primary(wanted))
  );
}

/** @throws LiveError */
export function formatOf(value: unknown, name: string): AudioFormat | undefined {
  const format = objectOf(value, name);
  if (!format) return undefined;
  numberOf(format.rate, `${name}.rate`, 0, Infinity);
  // There is one rate for each, to which any other is moved.
  const known = [PCM, PCMU, PCMA].find(({ type }) => type === format.type);
  if (!known)
    throw invalid(name, 'must be {"type":"audio/pcm","rate":24000}, {"type":"audio/pcmu"} or {"type":"audio/pcma"}');
  return known;
}

function detectionOf(value: unknown, base: Detection, { turn_detection }: SessionConfig): Detection | null {
  const given = objectOf(value, 'turn_detection');
  if (!given) return turn_detection;
  const { type = base.type, eagerness } = given;
  if (type !== 'server_vad' && type !== 'semantic_vad')
    throw invalid('turn_detection.type', 'must be "server_vad" or "semantic_vad"');
  const ms = (name: string, min: number, max: number) => integerOf(given[name], `turn_detection.${name}`, min, max);
  const flag = (name: string) => booleanOf(given[name], `turn_detection.${name}`);
  const idle = ms('idle_timeout_ms', MIN_IDLE_MS, MAX_IDLE_MS) ?? base.idle_timeout_ms;
  const eager =
    EAGERNESS.find((one) => one === textOf(eagerness, 'turn_detection.eagerness')) ?? base.eagerness ?? 'auto';
  return {
    type,
    threshold: numberOf(given.threshold, 'turn_detection.threshold', 0, 1) ?? base.threshold,
    prefix_padding_ms: ms('prefix_padding_ms', 0, MAX_PADDING_MS) ?? base.prefix_padding_ms,
    silence_duration_ms: ms('silence_duration_ms', MIN_SILENCE_MS, MAX_SILENCE_MS) ?? base.silence_duration_ms,
    create_response: flag('create_response') ?? base.create_response,
    interrupt_response: flag('interrupt_response') ?? base.interrupt_response,
    ...(idle === undefined || given.idle_timeout_ms === null ? {} : { idle_timeout_ms: idle }),
    ...(type === 'semantic_vad' ? { eagerness: eager } : {}),
  };
}

/** `en` of `en-US`. */
function primary(code: string): string {
  return code.split('-', 1)[0]!;
}
