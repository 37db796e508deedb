/** The public door: what modules of other teams may import. Everything else may change without notice. */
export { AdminService } from './admin/index.js';
export { AppModule } from './app.module.js';
export { configureApp, createApp } from './app.js';
export { AuthService, CurrentUser, GuardedBy, Owner, Public } from './auth/index.js';
export {
  type Avatar,
  CatalogueModule,
  CatalogueService,
  type ChatType,
  type EventType,
  type Language,
  type Project,
} from './catalogue/index.js';
export {
  ChatModule,
  ChatService,
  type HistoryPage,
  type HistoryRange,
  type Message,
  type Turn,
  type TurnEvent,
  type TurnInput,
  TurnService,
} from './chat/index.js';
export {
  type AvatarEngine,
  type EngineEntry,
  Engine,
  engineContract,
  EngineError,
  type EngineTurn,
} from './engines/index.js';
export { type EventData, OnEvent, type ServiceEvent } from './events/index.js';
export { type ByteRange, type FileDescription, FileStore, fileStoreContract, type StoredFile } from './files/index.js';
export {
  type PhonemeTime,
  Speaker,
  speakerContract,
  type SpeakRequest,
  type Speech,
  type SpeechEntry,
  SpeechError,
  type TranscribeRequest,
  Transcriber,
  transcriberContract,
  type VoiceSettings,
} from './speech/index.js';
export { run as runCli } from './cli/index.js';
export { Clock, Config } from './config/index.js';
export { Database, DatabaseAwayError } from './database/index.js';
export { CountAs, type LimitedKind } from './limits/index.js';
export {
  ApiErrors,
  createAdapter,
  ErrorBody,
  IfGiven,
  LOGGER,
  type Logger,
  PublicUrl,
  refusal,
  ServiceError,
} from './http/index.js';
