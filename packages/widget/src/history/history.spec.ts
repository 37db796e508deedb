import type { TurnClient, Message } from 'avatar-chat-client';
import { type Entry, History } from './history.js';
import type { UserStorage } from '../core/user-storage.js';

let stored: Message[];
let history: History;
const signal = new AbortController().signal;

const message = (_id: string, fields: Omit<Partial<Message>, 'user_id' | 'language_code'>): Message => ({
  _id,
  user_id: 'ann',
  language_code: 'en',
  date: Date.now() + stored.length,
  direction: 'incoming',
  request: 'How far is it?',
  avatar_id: 'ada',
  avatar_name: 'Ada',
  chat_type: 'voice',
  ...fields,
});
const store = (...messages: Message[]) => stored.unshift(...messages.toReversed());
const said = (text: string): Entry => ({ mine: true, text, state: 'done' });
/** Which messages are new to the page, and which are already in view. */
const missed = async () => {
  const fresh = stored.filter(({ _id }) => !history.entry(_id)).toReversed();
  return fresh.map((one) => history.claim(one) ?? one._id);
};

beforeEach(async () => {
  stored = [];
  const page = async () => ({ payload: stored, has_more_messages: false });
  const kept = { since: 0, isCut: () => false } as unknown as UserStorage;
  history = new History({ page } as unknown as TurnClient, 'http://localhost', kept);
  await history.older(signal);
});

it('matches a live utterance, and the heard part of its answer', async () => {
  const [mine, answer] = [
    said('How far is it? '),
    { mine: false, id: 'a', text: 'Very', state: 'interrupted' } as Entry,
  ];
  for (const entry of [mine, answer]) history.expect(entry);
  store(
    message('q', { direction: 'outgoing' }),
    message('a', { answer: 'Very far away.' }),
    message('x', { answer: 'Hi' }),
  );
  expect(await missed()).toEqual([mine, answer, 'x']);
  expect(mine).toMatchObject({ id: 'q', text: 'How far is it? ', date: expect.any(Number) });
  expect(answer).toMatchObject({ id: 'a', text: 'Very', state: 'interrupted', avatar_id: 'ada' });
  expect(history.entry('a')).toBe(answer);
});

it('marks a text as sent that is stored although its confirmation was lost', async () => {
  const mine: Entry = { mine: true, text: 'How far is it?', state: 'waiting' };
  history.expect(mine);
  store(message('q', { direction: 'outgoing' }));
  expect(await missed()).toEqual([mine]);
  expect(mine.state).toBe('done');
});

it.each(['failed', 'waiting'] as const)('takes no stored message for a %s recording without words', async (state) => {
  const mine: Entry = { mine: true, text: '', date: Date.now(), recording: new Blob(), state };
  history.expect(mine);
  store(
    message('typed', { direction: 'outgoing', request: 'Typed\n\nelsewhere' }),
    message('spoken', { direction: 'outgoing', fileUrl: 'http://localhost/files/q' }),
  );
  expect(await missed()).toEqual(['typed', 'spoken']);
  expect(mine).toMatchObject({ text: '', state, recording: expect.any(Blob) });
});

it('matches several utterances answered together, and the same words said twice', async () => {
  const entries = ['Yes', 'Yes', 'Tell me.'].map(said);
  for (const entry of entries) history.expect(entry);
  store(message('one', { direction: 'outgoing', request: 'Yes' }));
  store(message('two', { direction: 'outgoing', request: 'Yes\nTell me.' }));
  store(message('three', { direction: 'outgoing', request: 'Yes' }));
  expect(await missed()).toEqual([entries[0], entries[2], 'three']);
});

it('matches an interrupted text answer, but none that was removed from view', async () => {
  const cut: Entry = { mine: false, text: 'Very far a', state: 'interrupted' };
  const gone = said('Hello');
  for (const entry of [cut, gone]) history.expect(entry);
  history.dismiss(gone);
  store(
    message('h', { direction: 'outgoing', request: 'Hello' }),
    message('n', { answer: '' }),
    message('a', { answer: 'Very far' }),
  );
  expect(await missed()).toEqual(['h', 'n', cut]);
});

it('omits messages in view from older pages', async () => {
  const mine = said('How far is it?');
  history.expect(mine);
  store(message('q', { direction: 'outgoing' }), message('o', { answer: 'Far.' }));
  expect((await history.older(signal)).map(({ id }) => id)).toEqual(['o']);
  expect(mine.id).toBe('q');
});
