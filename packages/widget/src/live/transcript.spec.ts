import type { LiveSession } from 'avatar-chat-client';
import { Transcript } from './transcript.js';

const listeners = new Map<string, (event: object) => void>();
const live = { on: (type: string, listener: (event: object) => void) => listeners.set(type, listener) };
let transcript: Transcript;
/** A piece of an answer, whose audio starts at a time. */
const addPiece = (delta: string, at: number, item_id = 'a') => {
  listeners.get('response.output_audio_transcript.delta')!({ item_id, delta });
  for (const audio_offset_ms of [at, at + 300])
    listeners.get('response.audio_timestamp.delta')!({ item_id, audio_offset_ms });
};
const heardAt = (ms: number, item_id = 'a') => transcript.at({ item_id, ms });

beforeEach(() => {
  transcript = new Transcript(live as unknown as Pick<LiveSession, 'on'>);
});

it('is the sentence that sounds, although later ones have arrived', () => {
  addPiece('I saw Dr. Smith. ', 0);
  addPiece('He waved.', 1500);
  expect([heardAt(0), heardAt(1400), heardAt(1500), heardAt(9000)]).toEqual([
    'I saw Dr. Smith. ',
    'I saw Dr. Smith. ',
    'He waved.',
    'He waved.',
  ]);
});

it('is a whole sentence that is said in several pieces', () => {
  addPiece('Yes. Once upon', 0);
  addPiece(' a time. Then', 600);
  addPiece(' it rained.', 1200);
  expect(heardAt(700)).toBe('Once upon a time. Then it rained.');
  expect(heardAt(1300)).toBe('Then it rained.');
});

it('is nothing before the first word, and of no other answer', () => {
  addPiece('One.', 200);
  expect([heardAt(0), heardAt(300), transcript.at(undefined)]).toEqual([undefined, 'One.', undefined]);
  addPiece('Two.', 0, 'b');
  expect([heardAt(300), heardAt(0, 'b')]).toEqual([undefined, 'Two.']);
});
