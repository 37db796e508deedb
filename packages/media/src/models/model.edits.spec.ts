import { edited, type ModelEdit, ONLY_16_KHZ, QUANTIZED_HEAD } from './model.edits.js';
import { filesOf, MOONSHINE } from './model.list.js';

/** Bytes of the published files, whose last part is part of the results. */
const PUBLISHED = { 'decoder_model_merged.onnx': 20_243_282, 'silero_vad.onnx': 2_327_524 };
const EDITS: [keyof typeof PUBLISHED, ModelEdit][] = [
  ['decoder_model_merged.onnx', QUANTIZED_HEAD],
  ['silero_vad.onnx', ONLY_16_KHZ],
];

it('copies ranges of a file, and writes bytes between them', () => {
  const edit: ModelEdit = ['\x00\xff', [4, 8], '-', [0, 2]];
  expect(edited(Buffer.from('parts of it'), edit)).toEqual(Buffer.from('\x00\xffs of-pa', 'latin1'));
});

it.each(EDITS)('makes %s as long as the list of models says', (name, edit) => {
  const { size } = filesOf(MOONSHINE).find((file) => file.name === name)!;
  expect(edited(Buffer.alloc(PUBLISHED[name]), edit)).toHaveLength(size);
  expect(Math.max(...edit.flatMap((part) => (typeof part === 'string' ? [] : part)))).toBe(PUBLISHED[name]);
});
