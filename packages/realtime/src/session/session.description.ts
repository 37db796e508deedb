import type { Avatar, ResolvedProject } from 'avatar-chat-catalogue';
import { isDuplexEntry, isRealtimeEntry } from 'avatar-chat-models';
import type { SessionConfig } from './session.config.js';

/** The transcription model requested from an OpenAI Realtime server. */
export const HOSTED_TRANSCRIPTION = 'gpt-4o-mini-transcribe';

/** A session in the format for clients. @param can what is installed: recognition, and the detection of complete turns */
export function describeSession(
  id: string,
  { avatar, resolved, expires }: { avatar: Avatar; resolved: ResolvedProject; expires: number },
  config: SessionConfig,
  can: { hear: boolean; judgeTurns: boolean },
): Record<string, unknown> {
  const { output_modality, chat_type, turn_detection, input_format, output_format, language_code, hasInterimResults } =
    config;
  const isUpstream = isRealtimeEntry(avatar.engine) || isDuplexEntry(avatar.engine);
  const model = isUpstream ? HOSTED_TRANSCRIPTION : (resolved.project.speech?.transcriber?.kind ?? 'moonshine');
  return {
    type: 'realtime',
    object: 'realtime.session',
    id,
    model: avatar._id,
    output_modalities: [output_modality],
    instructions: config.instructions,
    tools: config.tools,
    tool_choice: config.tool_choice,
    max_output_tokens: config.max_output_tokens,
    tracing: null,
    truncation: 'auto',
    prompt: null,
    include: null,
    chat_type,
    // Extensions are only shown to clients that asked for them.
    ...(config.hasVisemes ? { animation: { outputs: ['viseme_id'] } } : {}),
    ...(config.hasWords ? { output_audio_timestamp_types: ['word'] } : {}),
    audio: {
      input: {
        format: input_format,
        transcription: can.hear
          ? { model, language: language_code, ...(hasInterimResults ? { interim_results: true } : {}) }
          : null,
        noise_reduction: null,
        turn_detection:
          turn_detection && can.judgeTurns
            ? { ...turn_detection, available: ['server_vad', 'semantic_vad'] }
            : turn_detection,
      },
      output: { format: output_format, voice: avatar._id, speed: 1 },
    },
    expires_at: Math.floor(expires / 1000),
  };
}
