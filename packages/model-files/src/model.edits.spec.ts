import { edited, EDITS, type ModelEdit } from './model.edits.js';
import { filesOf, MOONSHINE } from './model.list.js';

/** Bytes of the published files, whose last part is part of the results. */
const PUBLISHED = { 'decoder_model_merged.onnx': 20_243_282, 'silero_vad.onnx': 2_327_524 };
const FILES: [keyof typeof PUBLISHED, string][] = [
  ['decoder_model_merged.onnx', 'decoder'],
  ['silero_vad.onnx', 'silero'],
];

it('copies ranges of a file, and writes bytes between them', () => {
  const edit: ModelEdit = ['\x00\xff', [4, 8], '-', [0, 2]];
  expect(edited(Buffer.from('parts of it'), edit)).toEqual(Buffer.from('\x00\xffs of-pa', 'latin1'));
});

it.each(FILES)('makes %s as long as the list of models says', (name, conversion) => {
  const edit = EDITS[conversion]!.parts;
  const { size } = filesOf(MOONSHINE).find((file) => file.name === name)!;
  expect(edited(Buffer.alloc(PUBLISHED[name]), edit)).toHaveLength(size);
  expect(Math.max(...edit.flatMap((part) => (typeof part === 'string' ? [] : part)))).toBe(PUBLISHED[name]);
});
