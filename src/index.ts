/** The public API: what other teams' modules may import. Everything else may change without notice. */
import './single-copies.js';

export { AdminService } from './admin/index.js';
export { AppModule } from './app.module.js';
export { AvatarChatModule, type AvatarChatAsyncOptions, type AvatarChatOptions } from './avatar-chat.module.js';
export { configureApp, createApp } from './app.js';
export { runService, type ServiceOptions } from './run-service.js';
export {
  AuthModule,
  AuthService,
  CurrentUser,
  type GuardDescription,
  GuardedBy,
  JwtGuard,
  Owner,
  Public,
} from './auth/index.js';
export { TokenVerifier, type VerifiedIdentity } from './identity/index.js';
export {
  type Avatar,
  type ChatType,
  type IdentityEntry,
  type Language,
  type Project,
  type EventType,
} from 'avatar-chat-catalogue';
export { CatalogueModule, CatalogueService } from './catalogue/index.js';
export {
  AfterTurn,
  type AfterTurnResult,
  BeforeTurn,
  type BeforeTurnResult,
  ChatModule,
  ChatService,
  type HistoryPage,
  type HistoryRange,
  type Turn,
  type TurnEvent,
  type TurnInput,
  TurnService,
} from './chat/index.js';
export { type Message } from './messages/index.js';
export {
  type AnswerPiece,
  AvatarEngine,
  type EngineEntry,
  EngineError,
  type EngineResult,
  type EngineSaid,
  EngineTool,
  type PromptedTurn,
  PromptSource,
  type EngineTurn,
  RETRACT,
  Speaker,
  type SpeakRequest,
  type SpeechEntry,
  type ToolTurn,
  type TranscribeRequest,
  Transcriber,
  type VoiceSettings,
} from 'avatar-chat-models';
export { ErasableData } from './erasure/index.js';
export { type EventData, EventsModule, EventsService, OnEvent, type ServiceEvent } from './events/index.js';
export { type ByteRange, type FileDescription, FileStore, type StoredFile } from './files/index.js';
export {
  LIVE_RATE,
  type PhonemeTime,
  type SpeechSamples,
  SpeechError,
  type WordTime,
  type Speech,
} from 'avatar-chat-media';
/** Also in `avatar-chat-service/testing`, where they belong. */
export { engineContract } from './testing/engine.contract.js';
export { fileStoreContract } from './testing/file-store.contract.js';
export { speakerContract } from './testing/speaker.contract.js';
export { transcriberContract } from './testing/transcriber.contract.js';
export { Terminal } from 'avatar-chat-command-line';
export { CliCommand, type CommandMethod, run as runCli } from './cli/index.js';
export { HealthCheck } from './health/index.js';
export { Metrics } from './platform/metrics/index.js';
export { Clock, Config } from './platform/config/index.js';
export { Database, DatabaseUnavailableError } from './platform/database/index.js';
export { Migration, type MigrationProvider } from './platform/migrations/index.js';
export { type LimitedKind, RateLimit } from './rate-limits/index.js';
export { ApiErrors } from './platform/openapi/index.js';
export { createAdapter, PublicUrl } from './platform/http/index.js';
export { ErrorBody, ServiceError } from './platform/errors/index.js';
export { IfGiven, refusal } from './platform/validation/index.js';
export { LOGGER, type Logger } from './platform/logging/index.js';
