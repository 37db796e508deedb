import type { TranscriptionEvent, TranscriptionStream } from '../speech/index.js';
import { LiveInput } from './live.input.js';
import { firstConfig } from './session.config.js';

const nothing = () => undefined;

it('a commit that the stream reports synchronously is complete when its transcript has arrived', async () => {
  const words: unknown[] = [];
  const config = { ...firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en') };
  const input: LiveInput = new LiveInput(
    { ...config, turn_detection: null },
    {
      listen: async (_options, hear: (heard: TranscriptionEvent) => void): Promise<TranscriptionStream> => ({
        push: nothing,
        configure: nothing,
        commit: () => {
          hear({ utterance: 1, event: 'stopped', at: 100 });
          hear({ utterance: 1, event: 'final', text: 'one' });
          return true;
        },
        clear: nothing,
        close: nothing,
      }),
      send: nothing,
      onSpeech: nothing,
      onPause: nothing,
      onResume: nothing,
      onSilence: nothing,
      onPartial: nothing,
      onTurn: nothing,
      onWords: (_id, text) => void words.push(text, input.isTranscribing),
    },
  );
  await input.open();
  expect(() => input.commit()).toThrow('no audio');
  input.push(Buffer.alloc(4800));
  input.commit();
  expect(words).toEqual(['one', false]);
  expect(input.isTranscribing).toBe(false);
});

it('after a restart, lost transcripts are no longer pending when that is reported', async () => {
  const told: unknown[] = [];
  let hear: (heard: TranscriptionEvent) => void = nothing;
  const config = firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en');
  let open = 0;
  const input: LiveInput = new LiveInput(config, {
    listen: async (_options, heard) => {
      hear = heard;
      open++;
      return { push: nothing, configure: nothing, commit: () => true, clear: nothing, close: () => void open-- };
    },
    send: nothing,
    onSpeech: nothing,
    onPause: nothing,
    onResume: nothing,
    onSilence: nothing,
    onPartial: nothing,
    onTurn: nothing,
    onWords: (_id, text) => void told.push(text, input.isTranscribing),
  });
  await input.open();
  hear({ utterance: 1, event: 'stopped', at: 100 });
  expect(input.isTranscribing).toBe(true);
  await input.configure({ ...config, language_code: 'de' });
  expect(told).toEqual([undefined, false]);
  await input.open();
  expect(open).toBe(1);
});

it('reports words that continue the previous ones, and a commit that is not understood', async () => {
  const deltas: unknown[] = [];
  let hear: (heard: TranscriptionEvent) => void = nothing;
  const config = firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en');
  const input = new LiveInput(config, {
    listen: async (_options, heard) => void (hear = heard),
    send: ({ type, delta }) => void (type.endsWith('delta') && deltas.push(delta)),
    onSpeech: nothing,
    onPause: nothing,
    onResume: nothing,
    onSilence: nothing,
    onPartial: nothing,
    onTurn: nothing,
    onWords: nothing,
  });
  await input.open();
  for (const text of ['How', 'How far', 'How far', 'Now', 'How far is']) hear({ utterance: 1, event: 'partial', text });
  expect(deltas).toEqual(['How', ' far', ' is']);
  input.push(Buffer.alloc(4800));
  expect(() => input.commit()).toThrow('no speech recognition');
});
