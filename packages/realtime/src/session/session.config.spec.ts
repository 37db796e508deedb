import { firstConfig, modalityOf, updatedConfig } from './session.config.js';

const resolved = {
  project: { settings: { chat_types: ['text', 'voice', 'video'] } },
  languages: [{ language_code: 'de-DE' }, { language_code: 'en' }],
} as never;
const first = firstConfig(resolved, 'en');
const updated = (update: unknown) => updatedConfig(first, update, resolved);

it.each([
  [['text', 'voice'], 'voice'],
  [['text'], 'text'],
  [[], 'voice'],
])('a project with %j starts with %s', (chat_types, chat_type) => {
  expect(firstConfig({ project: { settings: { chat_types } } } as never, 'en').chat_type).toBe(chat_type);
});

it.each<[object | null | undefined, object]>([
  [undefined, {}],
  [null, {}],
  [{ output_modalities: null, chat_type: null, audio: null }, {}],
  [
    { output_modalities: ['text'], chat_type: 'video' },
    { output_modality: 'text', chat_type: 'video' },
  ],
  [{ audio: { input: { transcription: { language: 'DE-de' } } } }, { language_code: 'de-DE' }],
  [{ audio: { input: { transcription: { language: 'de' } } } }, { language_code: 'de-DE' }],
  [{ audio: { input: { transcription: { language: null } } } }, {}],
  [
    { audio: { input: { format: { type: 'audio/pcm' } }, output: { format: { type: 'audio/pcm', rate: 24_000 } } } },
    {},
  ],
  [{ audio: { input: { turn_detection: null } } }, { turn_detection: null }],
  [
    { audio: { input: { turn_detection: { threshold: 0, prefix_padding_ms: 0, silence_duration_ms: 100 } } } },
    { turn_detection: { ...first.turn_detection, threshold: 0, prefix_padding_ms: 0, silence_duration_ms: 100 } },
  ],
  [
    { audio: { input: { turn_detection: { threshold: 0.25, silence_duration_ms: 700.6 } } }, max_output_tokens: 9.7 },
    {
      max_output_tokens: 10,
      turn_detection: { ...first.turn_detection, threshold: 0.25, silence_duration_ms: 701 },
    },
  ],
  [
    { audio: { input: { turn_detection: { threshold: null, create_response: false, interrupt_response: null } } } },
    { turn_detection: { ...first.turn_detection, create_response: false } },
  ],
])('%j changes %j', (update, change) => {
  expect(updated(update)).toEqual({ ...first, ...change });
});

it('push to talk is restored by null, with the given options', () => {
  const off = updated({ audio: { input: { turn_detection: null } } });
  expect(updatedConfig(off, {}, resolved).turn_detection).toBeNull();
  const input = { turn_detection: { type: 'semantic_vad' } };
  expect(updatedConfig(off, { audio: { input } }, resolved).turn_detection).toEqual({
    ...first.turn_detection,
    type: 'semantic_vad',
    eagerness: 'auto',
  });
});

it.each<[string, unknown]>([
  ['session', []],
  ['session.audio', { audio: 'loud' }],
  ['chat_type', { chat_type: 'text' }],
  ['transcription.language', { audio: { input: { transcription: { language: 7 } } } }],
  ['session.audio.input.format', { audio: { input: { format: { type: 'audio/mp3' } } } }],
  ['session.animation.outputs', { animation: { outputs: 'viseme_id' } }],
  ['max_output_tokens', { max_output_tokens: 'many' }],
  ['turn_detection.threshold', { audio: { input: { turn_detection: { threshold: NaN } } } }],
  ['turn_detection.silence_duration_ms', { audio: { input: { turn_detection: { silence_duration_ms: '1' } } } }],
  ['turn_detection.interrupt_response', { audio: { input: { turn_detection: { interrupt_response: 1 } } } }],
])('an error names the invalid field %s: %j', (name, update) => {
  expect(() => updated(update)).toThrow(name);
});

it.each([[[]], ['text'], [['video']]])('%j are invalid modalities', (value) => {
  expect(() => modalityOf(value)).toThrow('output_modalities');
});

it.each<[object, object]>([
  [
    { turn_detection: { threshold: 2, prefix_padding_ms: -1, silence_duration_ms: 1, idle_timeout_ms: 60_000 } },
    { threshold: 1, prefix_padding_ms: 0, silence_duration_ms: 100, idle_timeout_ms: 30_000 },
  ],
  [
    { turn_detection: { silence_duration_ms: 1e9, idle_timeout_ms: 1 } },
    { silence_duration_ms: 30_000, idle_timeout_ms: 5000 },
  ],
])('numbers out of bounds are moved to the nearest: %j', (input, change) => {
  expect(updated({ audio: { input } }).turn_detection).toEqual({ ...first.turn_detection, ...change });
});

it('extensions, other formats and limits are taken, unknown languages are not', () => {
  const input = { transcription: { language: 'xx' }, format: { type: 'audio/pcma' } };
  const session = {
    animation: { outputs: ['viseme_id'] },
    output_audio_timestamp_types: ['word'],
    max_output_tokens: 9999,
    output_modalities: ['audio', 'text'],
    audio: { input, output: { format: { type: 'audio/pcm', rate: 16_000 } } },
  };
  const config = updated(session);
  const input_format = { type: 'audio/pcma' };
  expect(config).toEqual({ ...first, input_format, hasVisemes: true, hasWords: true, max_output_tokens: 4096 });
  expect(
    updatedConfig(config, { animation: { outputs: [] }, output_audio_timestamp_types: [] }, resolved),
  ).toMatchObject({
    hasVisemes: false,
    hasWords: false,
  });
  const detection = { turn_detection: { type: 'semantic_vad', eagerness: 'low', idle_timeout_ms: 6000 } };
  const eager = updated({ audio: { input: detection } });
  expect(eager.turn_detection).toMatchObject({ eagerness: 'low', idle_timeout_ms: 6000 });
  const off = updatedConfig(eager, { audio: { input: { turn_detection: { idle_timeout_ms: null } } } }, resolved);
  expect(off.turn_detection).not.toHaveProperty('idle_timeout_ms');
});

describe('what a client may tell a model', () => {
  const told = {
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'f' }, { type: 'mcp' }],
    tool_choice: 'required',
  };
  const open = { project: { settings: { chat_types: ['voice'], clientContext: true } }, languages: [] } as never;
  const opened = (update: unknown) => updatedConfig(firstConfig(open, 'en'), update, open);

  it('is left out unless the project allows it', () => {
    expect(updated(told)).toEqual(first);
    expect(updated({ tools: 'all', instructions: 7 })).toEqual(first);
    const parameters = { type: 'object', properties: {} };
    expect(opened(told)).toMatchObject({
      ...told,
      tools: [{ type: 'function', name: 'f', description: '', parameters }],
    });
    expect(opened({ tool_choice: { type: 'function', name: 'f' } }).tool_choice).toEqual({
      type: 'function',
      name: 'f',
    });
    expect(opened({ tool_choice: { type: 'mcp' } }).tool_choice).toBe('auto');
  });

  it.each([
    { tools: 'all' },
    { tools: [{ type: 'function' }] },
    { tools: [{ type: 'function', name: 'a b' }] },
    { tools: Array.from({ length: 33 }, (_, n) => ({ type: 'function', name: `f${n}` })) },
    { tools: [{ type: 'function', name: 'f', description: 'x'.repeat(17_000) }] },
    { tool_choice: 'some' },
    { tool_choice: 7 },
    { instructions: 7 },
    { instructions: 'x'.repeat(32_001) },
  ])('is refused if it is wrong or too much', (update) => {
    expect(() => opened(update)).toThrow(/tool|instructions/);
  });
});
