import { readFileSync } from 'node:fs';
import * as testing from '../../src/testing/index.js';
import * as door from '../../src/index.js';

/** Every name that a file exports, types included, in alphabetical order. */
function namesOf(file: string): string[] {
  const lists = [...readFileSync(file, 'utf8').matchAll(/^export \{([^}]*)\}/gm)].map(([, list]) => list!);
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names
    .filter(Boolean)
    .map((name) => name.replace(/^type /, '').replace(/^.* as /, ''))
    .sort();
}

// Other packages import these; one per line, so that concurrent changes merge. Removing one is a breaking change for
// the changelog.
const DOOR = `
  AdminService
  AfterTurn
  AfterTurnResult
  AnswerPiece
  ApiErrors
  AppModule
  AuthModule
  AuthService
  Avatar
  AvatarChatAsyncOptions
  AvatarChatModule
  AvatarChatOptions
  AvatarEngine
  BeforeTurn
  BeforeTurnResult
  ByteRange
  CatalogueModule
  CatalogueService
  ChatModule
  ChatService
  ChatType
  CliCommand
  Clock
  CommandMethod
  Config
  CurrentUser
  Database
  DatabaseUnavailableError
  EngineEntry
  EngineError
  EngineResult
  EngineSaid
  EngineTool
  EngineTurn
  ErasableData
  ErrorBody
  EventData
  EventType
  EventsModule
  EventsService
  FileDescription
  FileStore
  GuardDescription
  GuardedBy
  HealthCheck
  HistoryPage
  HistoryRange
  IdentityEntry
  IfGiven
  JwtGuard
  LIVE_RATE
  LOGGER
  Language
  LimitedKind
  Logger
  Message
  Metrics
  Migration
  MigrationProvider
  OnEvent
  Owner
  PhonemeTime
  Project
  PromptSource
  PromptedTurn
  Public
  PublicUrl
  RETRACT
  RateLimit
  ServiceError
  ServiceEvent
  ServiceOptions
  SpeakRequest
  Speaker
  Speech
  SpeechEntry
  SpeechError
  SpeechSamples
  StoredFile
  Terminal
  TokenVerifier
  ToolTurn
  TranscribeRequest
  Transcriber
  Turn
  TurnEvent
  TurnInput
  TurnService
  VerifiedIdentity
  VoiceSettings
  WordTime
  configureApp
  createAdapter
  createApp
  engineContract
  fileStoreContract
  refusal
  runCli
  runService
  speakerContract
  transcriberContract
`;
const TESTING = `Answer Call ModelAnswer ModelRequest ModelStub TestApp TestAppOptions TestClock VerifierSample aProject aTurn aUser anOwner
  assertErrorBody createTestApp engineContract fileStoreContract speakerContract tokenVerifierContract
  transcriberContract`;

it.each([
  ['avatar-chat-service', 'src/index.ts', door, DOOR],
  ['avatar-chat-service/testing', 'src/testing/index.ts', testing, TESTING],
])('the entry point %s has exactly its documented names', (_, file, module, names) => {
  expect(namesOf(file)).toEqual(names.trim().split(/\s+/));
  expect(names.trim().split(/\s+/)).toEqual(expect.arrayContaining(Object.keys(module)));
  expect(Object.keys(module).length).toBeGreaterThan(4);
});
