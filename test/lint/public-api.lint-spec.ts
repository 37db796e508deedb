import { readFileSync } from 'node:fs';
import * as testing from '../../src/testing/index.js';
import * as door from '../../src/index.js';

/** Every name that a file exports, types included, in the order of the alphabet. */
function namesOf(file: string): string[] {
  const lists = [...readFileSync(file, 'utf8').matchAll(/^export \{([^}]*)\}/gm)].map(([, list]) => list!);
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names
    .filter(Boolean)
    .map((name) => name.replace(/^type /, '').replace(/^.* as /, ''))
    .sort();
}

// Other packages import these. Whoever takes one away breaks them, and says so in the changelog.
const DOOR = `AdminService ApiErrors AppModule AuthService Avatar AvatarEngine ByteRange CatalogueModule CatalogueService
  ChatModule ChatService ChatType Clock Config CountAs CurrentUser Database DatabaseUnavailableError Engine EngineEntry
  EngineError EngineSaid EngineTurn ErrorBody EventData EventType FileDescription FileStore GuardedBy HistoryPage
  HistoryRange IfGiven LOGGER Language LimitedKind Logger Message Migration MigrationProvider OnEvent Owner PhonemeTime Project Public
  PublicUrl ServiceError ServiceEvent SpeakRequest Speaker Speech SpeechEntry SpeechError StoredFile
  TranscribeRequest Transcriber Turn TurnEvent TurnInput TurnService VoiceSettings configureApp createAdapter
  createApp engineContract fileStoreContract refusal runCli speakerContract transcriberContract`;
const TESTING = `Answer Call TestApp TestAppOptions TestClock aProject aTurn aUser anOwner assertErrorBody createTestApp
  engineContract fileStoreContract speakerContract transcriberContract`;

it.each([
  ['avatar-chat-service', 'src/index.ts', door, DOOR],
  ['avatar-chat-service/testing', 'src/testing/index.ts', testing, TESTING],
])('the door %s has the names that it is known for', (_, file, module, names) => {
  expect(namesOf(file)).toEqual(names.split(/\s+/));
  expect(names.split(/\s+/)).toEqual(expect.arrayContaining(Object.keys(module)));
  expect(Object.keys(module).length).toBeGreaterThan(4);
});
