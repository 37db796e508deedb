export {
  type AnswerPiece,
  AvatarEngine,
  type ClientContext,
  type CompleteOptions,
  EngineBusyError,
  type EngineEntry,
  EngineError,
  type EngineExchange,
  type EngineResult,
  type EngineSaid,
  type EngineTurn,
  MAX_REQUEST,
  type PromptMessage,
  RETRACT,
  type TokenUsage,
  type TurnHandover,
  type TurnMeter,
  type TurnSource,
} from './avatar-engine.js';
export { type ChatEngineParts } from './chat.engine.js';
export { LlamaEngine } from './llama/llama.engine.js';
export { LlamaModels } from './llama/llama.models.js';
export { findLlama, LLAMA_PACKAGE, LlamaBusyError, LlamaProcess } from './llama/llama.process.js';
export { hasSecret, MAX_MEMORY, mayBeRemembered, memoriesIn, memoryPrompt } from './memory.facts.js';
export { OpenAiEngine } from './openai.engine.js';
export { OPENAI_RULES, type OpenAiEntry, seesImages } from './openai.entry.js';
export { reasonOf } from './openai.errors.js';
export { DEFAULT_TOKENS, linesWithin } from './openai.prompt.js';
export { type OpenAiServer } from './openai.server.js';
export { OpenAiServers } from './openai.servers.js';
export { UsageReader } from './openai.usage.js';
export { type PromptedTurn, PromptSource } from './prompted.turn.js';
export { OpenAiLiveEngine } from './realtime/openai-live.engine.js';
export { OpenAiRealtime } from './realtime/openai.realtime.js';
export { RealtimeAnswer, type RealtimeCall, type RealtimePart } from './realtime/realtime.answer.js';
export { type DuplexEntry, isDuplexEntry, type LiveStart } from './realtime/duplex.entry.js';
export { type ConnectionOptions, RealtimeConnection, type RealtimeEvent } from './realtime/realtime.connection.js';
export {
  type ConversationListener,
  type RealtimeAnyItem,
  RealtimeConversation,
  type RealtimeItem,
  type RealtimeResponseSettings,
  type RealtimeSettings,
} from './realtime/realtime.conversation.js';
export { RealtimeEngine } from './realtime/realtime.engine.js';
export { isRealtimeEntry, type RealtimeEntry } from './realtime/realtime.entry.js';
export { realtimeItem, realtimePrompt } from './realtime/realtime.prompt.js';
export { ReasoningFilter } from './reasoning.js';
export { EspeakSpeaker } from './speech/espeak.speaker.js';
export { InstalledSpeech } from './speech/installed.speech.js';
export { MoonshineTranscriber } from './speech/moonshine.transcriber.js';
export { OfflineTranscriber } from './speech/offline.transcriber.js';
export { OpenAiSpeaker } from './speech/openai.speaker.js';
export { OpenAiTranscriber } from './speech/openai.transcriber.js';
export { PiperSpeaker } from './speech/piper.speaker.js';
export { Recognition } from './speech/recognition.js';
export { SherpaTranscriber } from './speech/sherpa.transcriber.js';
export { Speaker, type SpeakRequest, type SpeechEntry, type Spoken, type VoiceSettings } from './speech/speaker.js';
export { NoSpeaker, NoTranscriber } from './speech/speech.none.js';
export { Transcriber, type TranscribeRequest } from './speech/transcriber.js';
export { TranscriptionStreams } from './speech/transcription.streams.js';
export { argumentsCheck, checkOrFault } from './tools/arguments.check.js';
export { type CallerFunction, type CallerFunctions, type FunctionRound, noticed } from './tools/caller.functions.js';
export { EngineTool, type ToolTurn } from './tools/engine-tool.js';
export { type ServerList } from './tools/server.tools.js';
export { MAX_TOOL_ROUNDS } from './tools/tool.loop.js';
export { ToolServers } from './tools/tool.servers.js';
export { type FoundTools, type OfferedTool, ToolSource, type TurnTools } from './tools/tool.sources.js';
export { WebhookTools, withToolSecrets } from './tools/webhook.tools.js';
