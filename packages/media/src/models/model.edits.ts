/**
 * Edits of published models, which are Protocol Buffers messages: ranges of the file, and bytes (Latin-1) to write between
 * them. The digests in the list of models check the results.
 */
export type ModelEdit = readonly (string | readonly [from: number, to: number])[];

export function edited(content: Buffer, edit: ModelEdit): Buffer {
  return Buffer.concat(
    edit.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : content.subarray(...part))),
  );
}

/**
 * Moonshine's decoder with quantized weights in its last step, as in the rest of it. As published, it expands them to
 * 38 MB of floating-point numbers for each token: half of the time, and a third of the memory. The nodes after the last
 * layer are removed from both branches of the If node, whose first output becomes `hidden`; Transpose,
 * DynamicQuantizeLinear, MatMulInteger, Cast and two Mul nodes follow it.
 */
export const QUANTIZED_HEAD: ModelEdit = [
  [0, 25],
  '\xce\xc0\xd3\t\n\xd9\xe4-\n\x10use_cache_branch\x12\x06hidden',
  [59, 653],
  '\x9c\xda\x17\n\x0belse_branch2\x88\xda',
  [672, 1024],
  [1164, 7560],
  [7851, 273_568],
  '\x12\x07no_pastb(',
  [273_570, 273_604],
  '\x12\x04\n\x02\x08\x01',
  [273_758, 389_607],
  '\xca\x85\x16\n\x0bthen_branch2\xb6\x85',
  [389_626, 390_926],
  [391_066, 392_588],
  [392_879, 641_779],
  '\x12\twith_pastb(',
  [641_781, 641_815],
  '\x12\x04\n\x02\x08\x01',
  [641_971, 20_243_282],
  '\nG',
  [676, 730],
  '\x12\x04head"\tTranspose\n?\n\x06hidden\x12\x05bytes\x12\x0bbytes_scale\x12\nbytes_zero',
  [1000, 1024],
  'e\n\x05bytes\n\x04head\n\nbytes_zero',
  [7379, 7435],
  '\x04sums"\x0dMatMulInteger\n!\n\x04sums\x12\x08products"\x04Cast*\t\n\x02to\x18\x01\xa0\x01\x02\nQ\n\x0bbytes_scale',
  [7618, 7668],
  '\x12\x0bboth_scales"\x03Mul\n$\n\x08products\n\x0bboth_scales\x12\x06logits"\x03MulB\x02\x10\x0e',
];

/**
 * Silero's voice activity detection for 16 kHz only: the nodes of `then_branch` replace the If node that chooses the
 * sampling rate. A detector then takes 3 MB instead of 8, and the first one 14 MB instead of 23.
 */
export const ONLY_16_KHZ: ModelEdit = [
  '\x08\x08\x12\x04spox2\x00:\xeb\x87',
  [1_015_795, 2_327_152],
  '\nC',
  [2_327_172, 2_327_214],
  '\x0eIf_0_outputs_0"\x08Identity\nC',
  [2_327_229, 2_327_271],
  '\x0eIf_0_outputs_1',
  [2_327_332, 2_327_359],
  [2_327_306, 2_327_524],
];
