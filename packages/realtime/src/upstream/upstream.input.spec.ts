import type { TranscriptionEvent } from 'avatar-chat-media';
import { UpstreamInput } from './upstream.input.js';

const second = new Int16Array(24_000);
const PREFIX = 'conversation.item.input_audio_transcription.';

const anInput = () => {
  const input = new UpstreamInput();
  const heard: TranscriptionEvent[] = [];
  input.begin((one) => heard.push(one));
  input.connected();
  const take = (type: string, fields = {}) => input.take({ type, ...fields } as never);
  return { input, heard, take };
};

afterEach(() => jest.useRealTimers());

it('an event without a position refers to the current one, and one without a transcript has none', () => {
  const { input, heard, take } = anInput();
  input.push(second);
  expect(take('input_audio_buffer.speech_started', { item_id: 'one' })).toBe(true);
  take('input_audio_buffer.speech_stopped', { item_id: 'one', audio_end_ms: 700 });
  take(`${PREFIX}delta`, { item_id: 'one' });
  take(`${PREFIX}completed`, { item_id: 'one' });
  expect(heard).toEqual([
    { event: 'started', utterance: 1, at: 1000 },
    { event: 'stopped', utterance: 1, at: 700 },
    { event: 'partial', utterance: 1, text: '', isCertain: true },
    { event: 'final', utterance: 1, text: '' },
  ]);
});

it('a turn that the server commits without prior events counts', () => {
  const { input, heard, take } = anInput();
  input.push(second);
  take('input_audio_buffer.committed', { item_id: 'one' });
  take('input_audio_buffer.committed', { item_id: 7 });
  take(`${PREFIX}failed`, { item_id: 'one' });
  input.reset();
  expect(heard).toEqual([
    { event: 'stopped', utterance: 1, at: 1000 },
    { event: 'stopped', utterance: 2, at: 1000 },
    { event: 'final', utterance: 1, text: undefined },
  ]);
});

it('a turn is committed manually once there is enough audio; speech in progress ends with it', () => {
  const { input, heard, take } = anInput();
  input.push(second.subarray(0, 2000));
  expect(input.commit()).toBe(false);
  input.push(second);
  take('input_audio_buffer.speech_started', { item_id: 'one', audio_start_ms: 100 });
  expect(input.commit()).toBe(true);
  input.reset();
  expect(heard.map(({ event, utterance }) => [event, utterance])).toEqual([
    ['started', 1],
    ['stopped', 1],
  ]);
});

it('cleared audio is not a turn, and a complete turn keeps its transcript', () => {
  const { input, heard, take } = anInput();
  input.push(second);
  take('input_audio_buffer.committed', { item_id: 'one' });
  take('input_audio_buffer.speech_started', { item_id: 'two', audio_start_ms: 500 });
  input.clear();
  take('input_audio_buffer.speech_stopped', { item_id: 'two' });
  take(`${PREFIX}completed`, { item_id: 'two', transcript: 'two' });
  take(`${PREFIX}failed`, { item_id: 'two' });
  take(`${PREFIX}delta`, { item_id: 'two' });
  take(`${PREFIX}completed`, { item_id: 'one', transcript: ' one ' });
  expect(heard.slice(2)).toEqual([{ event: 'final', utterance: 1, text: 'one' }]);
});

it('waits 15 s for a transcript, and not at all after a reset', () => {
  jest.useFakeTimers();
  const { input, heard, take } = anInput();
  input.push(second);
  take('input_audio_buffer.committed', { item_id: 'one' });
  jest.advanceTimersByTime(15_000);
  expect(heard.at(-1)).toEqual({ event: 'final', utterance: 1, text: undefined });
  take('input_audio_buffer.committed', { item_id: 'two' });
  input.reset();
  jest.advanceTimersByTime(15_000);
  expect(heard.at(-1)).toMatchObject({ event: 'stopped', utterance: 2 });
  expect(jest.getTimerCount()).toBe(0);
});

it('other events are not about input', () => {
  expect(anInput().take('response.done')).toBe(false);
});
