import type { TranscriptionEvent, TranscriptionStream } from 'avatar-chat-media';
import { Interruptions } from './interruptions.js';
import { LiveInput } from './live.input.js';
import { firstConfig } from '../session/session.config.js';

const nothing = () => undefined;
const ignored = {
  send: nothing,
  interruptions: { started: nothing, paused: nothing, resumed: nothing, partial: () => true },
  onSilence: nothing,
  onHeard: () => undefined,
  onTurn: nothing,
  onWords: nothing,
  transcribesLate: false,
};

/** An input whose stream collects the samples. */
function collecting(samples: number[]): LiveInput {
  const config = firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en');
  const stream: TranscriptionStream = {
    push: (more) => void samples.push(...more),
    configure: nothing,
    commit: () => true,
    clear: nothing,
    close: nothing,
  };
  return new LiveInput(config, { ...ignored, listen: async () => stream });
}

it.each<[string, (input: LiveInput) => unknown]>([
  ['clear', (input) => input.clear()],
  ['commit', (input) => input.commit()],
  ['resumed connection', (input) => (input.close(), input.open())],
])('half a sample does not outlive a %s', async (_name, empty) => {
  const samples: number[] = [];
  const input = collecting(samples);
  await input.open();
  input.push(Buffer.from([1, 0, 2]));
  await empty(input);
  input.push(Buffer.from([3, 0]));
  expect(samples).toEqual([1, 3]);
});

it('half a sample is completed after a change of the language', async () => {
  const samples: number[] = [];
  const input = collecting(samples);
  await input.open();
  input.push(Buffer.from([1, 0, 2]));
  await input.configure(firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'de'));
  input.push(Buffer.from([0, 3, 0]));
  expect(samples).toEqual([1, 2, 3]);
});

it('a commit that the stream reports synchronously is complete when its transcript has arrived', async () => {
  const words: unknown[] = [];
  const config = { ...firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en') };
  const input: LiveInput = new LiveInput(
    { ...config, turn_detection: null },
    {
      ...ignored,
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
      onWords: (_id, { text }) => void words.push(text, input.isTranscribing),
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
    ...ignored,
    listen: async (_options, heard) => {
      hear = heard;
      open++;
      return { push: nothing, configure: nothing, commit: () => true, clear: nothing, close: () => void open-- };
    },
    onWords: (_id, { text }) => void told.push(text, input.isTranscribing),
  });
  await input.open();
  hear({ utterance: 1, event: 'stopped', at: 100 });
  expect(input.isTranscribing).toBe(true);
  await input.configure({ ...config, language_code: 'de' });
  expect(told).toEqual([undefined, false]);
  await input.open();
  expect(open).toBe(1);
});

describe('a complete turn', () => {
  const config = firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en');
  const told: unknown[] = [];
  const hear: ((heard: TranscriptionEvent) => void)[] = [];
  let open: number;
  let input: LiveInput;
  beforeEach(async () => {
    [told.length, hear.length, open] = [0, 0, 0];
    input = new LiveInput(config, {
      ...ignored,
      transcribesLate: true,
      listen: async (_options, heard) => {
        hear.push(heard);
        open++;
        return { push: nothing, configure: nothing, commit: () => true, clear: nothing, close: () => void open-- };
      },
      onTurn: (id) => void told.push(id),
      onWords: (id, { text }) => void told.push(id, text, input.isTranscribing),
    });
    await input.open();
  });
  afterEach(() => jest.useRealTimers());

  it('is transcribed after the end of its recognition, which closes then', async () => {
    hear[0]!({ utterance: 1, event: 'stopped', at: 100 });
    hear[0]!({ utterance: 2, event: 'started', at: 200 });
    const [id] = told.splice(0);
    await input.configure({ ...config, language_code: 'de' });
    expect([told, input.isTranscribing, open]).toEqual([[], true, 2]);
    input.close();
    await input.open();
    hear[2]!({ utterance: 1, event: 'stopped', at: 300 });
    const [next] = told.splice(0);
    hear[0]!({ utterance: 2, event: 'stopped', at: 300 });
    hear[0]!({ utterance: 1, event: 'final', text: 'one' });
    expect([told.splice(0), open]).toEqual([[id, 'one', true], 1]);
    hear[0]!({ utterance: 2, event: 'final', text: 'two' });
    expect(told).toEqual([]);
    hear[2]!({ utterance: 1, event: 'final', text: 'three' });
    expect(told).toEqual([next, 'three', false]);
    input.close();
    expect(open).toBe(0);
  });

  it.each<[string, () => void]>([
    ['after 20 seconds', () => jest.advanceTimersByTime(20_000)],
    ['if it is given up', () => input.giveUp()],
  ])('is lost %s', async (_, end) => {
    jest.useFakeTimers();
    hear[0]!({ utterance: 1, event: 'stopped', at: 100 });
    hear[0]!({ utterance: 2, event: 'stopped', at: 200 });
    const [one, two] = told.splice(0);
    input.close();
    jest.advanceTimersByTime(19_999);
    expect([told, open]).toEqual([[], 1]);
    end();
    expect([told.splice(0), open]).toEqual([[one, undefined, false, two, undefined, false], 0]);
    hear[0]!({ utterance: 1, event: 'final', text: 'one' });
    expect(told).toEqual([]);
  });
});

it.each([
  ['may turn out to be others only to those that asked', false, ['How far is it?']],
  ['may turn out to be others to those that asked', true, ['Oh', ', far', ' is it?']],
])('reports words that %s', async (_name, hasInterimResults, expected) => {
  const deltas: unknown[] = [];
  let hear: (heard: TranscriptionEvent) => void = nothing;
  const config = firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en');
  const input = new LiveInput(
    { ...config, hasInterimResults },
    {
      ...ignored,
      listen: async (_options, heard) => void (hear = heard),
      send: ({ type, delta }) => void (type.endsWith('delta') && deltas.push(delta)),
      onWords: (_id, _text, _seconds, sendRest) => sendRest(),
    },
  );
  await input.open();
  const texts = ['Oh', 'Oh, far', 'How'];
  for (const text of texts) hear({ utterance: 1, event: 'partial', text });
  const text = hasInterimResults ? 'Oh, far is it?' : 'How far is it?';
  hear({ utterance: 1, event: 'final', text });
  expect(deltas).toEqual(expected);
  const certain = { event: 'partial', isCertain: true } as const;
  for (const text of ['One', 'One two']) hear({ utterance: 2, ...certain, text });
  hear({ utterance: 2, event: 'final', text: 'One two' });
  expect(deltas.slice(expected.length)).toEqual(['One', ' two']);
  input.push(Buffer.alloc(4800));
  expect(() => input.commit()).toThrow('no speech recognition');
});

it('a backchannel over the avatar is not told, neither while it is heard nor at its end', async () => {
  const told: unknown[] = [];
  let hear: (heard: TranscriptionEvent) => void = nothing;
  const response = { pause: nothing, resume: nothing, cancel: () => void told.push('cancelled') };
  const options = { response: () => response, isAllowed: () => true, onInterruption: nothing };
  const interruptions = new Interruptions(options);
  const input = new LiveInput(firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en'), {
    ...ignored,
    interruptions,
    listen: async (_options, heard) => void (hear = heard),
    send: ({ type, delta }) => void (type.endsWith('delta') && told.push(delta)),
    onWords: (item_id, { text }, _seconds, sendRest) => void (interruptions.final(item_id, text) && sendRest()),
  });
  await input.open();
  const say = (utterance: number, ...texts: [string, ...string[]]) => {
    hear({ utterance, event: 'started', at: 0 });
    for (const text of texts) hear({ utterance, event: 'partial', text, isCertain: true });
    hear({ utterance, event: 'final', text: texts.at(-1)! });
  };
  say(1, 'mhm');
  expect(told).toEqual([]);
  say(2, 'oh', 'oh, wait');
  expect(told).toEqual(['cancelled', 'oh, wait']);
});

it('what the microphone hears of the avatar is nobody’s turn', async () => {
  const config = firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en');
  let hear!: (heard: TranscriptionEvent) => void;
  const [clear, sent] = [jest.fn(), [] as string[]];
  const input = new LiveInput(config, {
    ...ignored,
    send: ({ type }) => void sent.push(type),
    listen: async (_options, report) => {
      hear = report;
      return { push: nothing, configure: nothing, commit: () => true, clear, close: nothing };
    },
  });
  await input.open();
  let seed = 1;
  const noise = () => ((seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5) * 20_000;
  const [voice, other] = [Int16Array.from({ length: 12_000 }, noise), Int16Array.from({ length: 12_000 }, noise)];
  input.echo.play(voice, false);
  input.push(Buffer.from(voice.map((sample) => sample / 4).buffer));
  hear({ utterance: 1, event: 'started', at: 0 });
  expect([sent, clear.mock.calls.length]).toEqual([[], 1]);
  input.push(Buffer.from(other.buffer));
  hear({ utterance: 2, event: 'started', at: 500 });
  expect([sent, clear.mock.calls.length]).toEqual([['input_audio_buffer.speech_started'], 1]);
});

it('speech that was reported stops, also in push to talk; a commit without speech has no end of speech', async () => {
  const config = firstConfig({ project: { settings: { chat_types: ['voice'] } } } as never, 'en');
  let hear!: (heard: TranscriptionEvent) => void;
  const sent: string[] = [];
  const input = new LiveInput(config, {
    ...ignored,
    send: ({ type }) => void sent.push(type),
    listen: async (_options, report) => {
      hear = report;
      return { push: nothing, configure: nothing, commit: () => true, clear: nothing, close: nothing };
    },
  });
  await input.open();
  input.push(Buffer.alloc(4800));
  input.commit();
  hear({ utterance: 1, event: 'stopped', at: 100 });
  expect(sent).toEqual([]);
  hear({ utterance: 2, event: 'started', at: 100 });
  await input.configure({ ...config, turn_detection: null });
  hear({ utterance: 2, event: 'stopped', at: 200 });
  expect(sent).toEqual(['input_audio_buffer.speech_started', 'input_audio_buffer.speech_stopped']);
});
