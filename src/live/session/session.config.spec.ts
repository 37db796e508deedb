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
  });
});

it.each<[string, unknown]>([
  ['session', []],
  ['session.audio', { audio: 'loud' }],
  ['chat_type', { chat_type: 'text' }],
  ['transcription.language', { audio: { input: { transcription: { language: 7 } } } }],
  ['session.audio.input.format', { audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } }],
  ['turn_detection.threshold', { audio: { input: { turn_detection: { threshold: NaN } } } }],
  ['turn_detection.silence_duration_ms', { audio: { input: { turn_detection: { silence_duration_ms: 30_001 } } } }],
  ['turn_detection.interrupt_response', { audio: { input: { turn_detection: { interrupt_response: 1 } } } }],
])('an error names the invalid field %s: %j', (name, update) => {
  expect(() => updated(update)).toThrow(name);
});

it.each([[['audio', 'text']], [[]], ['text'], [['video']]])('%j are invalid modalities', (value) => {
  expect(() => modalityOf(value)).toThrow('output_modalities');
});
