import type { ImportedMessage } from '../../messages/index.js';
import { SeenMessages } from './import.seen.js';

const message: ImportedMessage = {
  _id: 'a',
  project_id: 'default',
  user_id: 'u',
  direction: 'outgoing',
  request: 'hello',
  avatar_id: 'ada',
  date: 1,
  chat_type: 'text',
  language_code: 'en',
};

it('finds only identifiers that repeat with different content', () => {
  const seen = new SeenMessages();
  expect(seen.clashes(message)).toBe(false);
  expect(seen.clashes({ ...message })).toBe(false);
  expect(seen.clashes({ ...message, _id: 'b', date: 2 })).toBe(false);
  expect(seen.clashes({ ...message, date: 2 })).toBe(true);
  expect(seen.clashes({ ...message, user_id: 'v' })).toBe(true);
  expect(seen.clashes(message)).toBe(false);
});

it('distinguishes many thousands', () => {
  const seen = new SeenMessages();
  const clashes = (shift: number) =>
    Array.from({ length: 20_000 }, (_, index) => seen.clashes({ ...message, _id: `m-${index}`, date: index + shift }));
  expect(clashes(0)).not.toContain(true);
  expect(clashes(0)).not.toContain(true);
  expect(clashes(1)).not.toContain(false);
});
