import type { LiveSession } from 'avatar-chat-client';
import type { Entry } from '../history/conversation.js';
import { Dialogue } from './dialogue.js';
import { Mouths } from './mouths.js';

let tell: (type: string, fields?: object) => void;
let dialogue: Dialogue;
let shown: Entry[];
let failed: string[];
let answered: string[];

beforeEach(() => {
  const listeners = new Map<string, (event: object) => void>();
  const live = { on: (type: string, listener: (event: object) => void) => listeners.set(type, listener) };
  tell = (type, fields = {}) => listeners.get(type)!({ type, ...fields });
  [shown, failed, answered] = [[], [], []];
  dialogue = new Dialogue(live as unknown as LiveSession, 'Ada', {
    changed: (entry) => void (shown.includes(entry) || shown.push(entry)),
    removed: (entry) => (shown = shown.filter((one) => one !== entry)),
    answered: ({ text }) => answered.push(text),
    failed: ({ code }) => failed.push(code),
  });
});

const bubbles = () => shown.map(({ mine, state, text }) => `${mine ? 'me' : 'Ada'} ${state}: ${text}`);
const said = (name: string, fields: object) => tell(`conversation.item.input_audio_transcription.${name}`, fields);
const part = (name: string, fields: object) => tell(`response.${name}`, { response_id: 'r', item_id: 'a', ...fields });
const answer = (...words: string[]) => {
  tell('response.created', { response: { id: 'r' } });
  part('output_item.added', { item: { id: 'a' } });
  part('output_audio_transcript.delta', { delta: words.join('') });
  words.forEach((text, n) => part('audio_timestamp.delta', { text, audio_offset_ms: n * 400, audio_duration_ms: 300 }));
  part('output_audio.delta', { delta: '' });
};
const done = (status: string, status_details?: object) =>
  tell('response.done', { response: { id: 'r', status, status_details } });

it('shows both sides as they speak, in order', () => {
  said('delta', { item_id: 'u', delta: 'How' });
  said('delta', { item_id: 'u', delta: ' far' });
  expect(bubbles()).toEqual(['me speaking: How far']);
  said('completed', { item_id: 'u', transcript: 'How far is it?' });
  tell('response.created', { response: { id: 'r' } });
  expect([bubbles(), dialogue.busy]).toEqual([['me done: How far is it?', 'Ada waiting: '], true]);
  answer('Very ', 'far.');
  done('completed');
  expect(bubbles().slice(-1)).toEqual(['Ada done: Very far.']);
  expect(answered).toEqual(['Very far.']);
});

it.each([
  ['the words that were heard', 700, ['Ada interrupted: Very far']],
  ['nothing of an answer that was not heard', 0, []],
  ['all of an answer that was heard completely', 1100, ['Ada interrupted: Very far away.']],
])('keeps %s', (_, audio_end_ms, bubble) => {
  answer('Very ', 'far ', 'away.');
  done('cancelled');
  tell('conversation.item.truncated', { item_id: 'a', audio_end_ms });
  expect(bubbles()).toEqual(bubble);
});

it('keeps what was heard if the page itself stops the answer, whatever arrives afterwards', () => {
  answer('Very ', 'far ', 'away.');
  dialogue.cut('a', 700);
  expect(bubbles()).toEqual(['Ada interrupted: Very far']);
  done('cancelled');
  tell('closed');
  expect(bubbles()).toEqual(['Ada interrupted: Very far']);
});

it('removes noise, and an answer that never sounded', () => {
  said('delta', { item_id: 'u', delta: 'Hm' });
  said('completed', { item_id: 'v', transcript: ' ' });
  tell('conversation.item.deleted', { item_id: 'u' });
  tell('response.created', { response: { id: 'r' } });
  done('cancelled');
  expect([bubbles(), dialogue.busy]).toEqual([[], false]);
});

it('reports why an answer failed, but not errors of the widget itself', () => {
  answer('Well,');
  done('failed', { error: { code: 'answer_timeout' } });
  tell('error', { error: { type: 'invalid_request_error', code: 'nothing_to_answer', message: '' } });
  tell('error', { error: { type: 'rate_limit_error', code: 'rate_limited', message: 'Too many.' } });
  expect([bubbles(), failed]).toEqual([['Ada interrupted: Well,'], ['answer_timeout', 'rate_limited']]);
});

it('shows written text, and lets the user retry if the session ended before it was sent', () => {
  const retry = jest.fn();
  const written = [dialogue.write('1', 'Hello', retry), dialogue.write('2', 'Are you there?', retry)];
  for (const one of written) one.catch(() => undefined);
  tell('conversation.item.added', { item: { id: '1' } });
  tell('closed');
  expect(bubbles()).toEqual(['me done: Hello', 'me failed: Are you there?']);
  shown[1]!.retry!();
  expect(bubbles()).toEqual(['me done: Hello']);
  expect(retry).toHaveBeenCalledTimes(1);
});

it('lets the user retry a text that was lost with the connection, unless it is confirmed or stored after all', () => {
  const write = (id: string, text: string) => dialogue.write(id, text, () => undefined).catch(() => undefined);
  write('1', 'First');
  write('2', 'Second');
  write('3', 'Third');
  tell('lost');
  write('4', 'Queued');
  shown[2]!.state = 'done';
  tell('session.created');
  tell('conversation.item.added', { item: { id: '2' } });
  expect(bubbles()).toEqual(['me failed: First', 'me done: Second', 'me done: Third', 'me waiting: Queued']);
  tell('conversation.item.added', { item: { id: '4' } });
  tell('closed');
  expect(bubbles()).toEqual(['me failed: First', 'me done: Second', 'me done: Third', 'me done: Queued']);
});

it('settles a text when its answer is complete, interrupted or failed, or when it is not sent', async () => {
  const settled: string[] = [];
  const write = (id: string) =>
    dialogue
      .write(id, id, () => undefined)
      .then(
        () => settled.push(`${id} answered`),
        ({ code }) => settled.push(`${id} ${code}`),
      );
  for (const [id, status] of [
    ['1', 'completed'],
    ['2', 'cancelled'],
    ['3', 'failed'],
  ] as const) {
    void write(id);
    tell('conversation.item.added', { item: { id } });
    answer('Well,');
    done(status, { error: { code: 'answer_timeout' } });
    await Promise.resolve();
  }
  void write('4');
  tell('closed');
  await new Promise((resolve) => setTimeout(resolve));
  expect(settled).toEqual(['1 answered', '2 answered', '3 answer_timeout', '4 network_error']);
});

it('interrupts the answer when the connection is lost', () => {
  said('delta', { item_id: 'u', delta: 'And' });
  answer('Well,');
  tell('lost');
  expect([bubbles(), dialogue.busy]).toEqual([['Ada interrupted: Well,'], false]);
});

it('moves the mouth in sync with the audio', () => {
  const mouths = new Mouths();
  mouths.add('a', 0, 21);
  mouths.add('a', 100, 2);
  mouths.add('a', 200, 0);
  const shapes = [0, 99, 100, 250].map((ms) => mouths.at({ item_id: 'a', ms }));
  expect([...shapes, mouths.at(undefined)]).toEqual(['closed', 'closed', 'open-wide', 'rest', 'rest']);
  // An answer without visemes.
  expect(new Set([0, 150, 300].map((ms) => mouths.at({ item_id: 'b', ms })))).toEqual(
    new Set(['closed', 'open-small']),
  );
});
