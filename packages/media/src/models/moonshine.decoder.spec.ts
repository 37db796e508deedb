import { moonshineDecoder } from './moonshine.decoder.js';
import { edited, field, insideOf, message, textOf } from './onnx.message.js';

const EMBEDDING = 'model.decoder.embed_tokens.weight_';
const LAST = '/model/decoder/norm/Mul_output_0';

const node = (operator: string, inputs: string[], outputs: string[], ...more: Buffer[]) =>
  message(
    ...inputs.map((name) => field(1, name)),
    ...outputs.map((name) => field(2, name)),
    field(4, operator),
    ...more,
  );
const branch = (name: string) => {
  const graph = message(
    field(1, node('Gather', [`${EMBEDDING}merged_0_quantized`, 'ids'], ['/embedded'])),
    field(1, node('Transpose', [`${EMBEDDING}merged_0_quantized`], [`${EMBEDDING}transposed_quantized`])),
    field(1, node('DequantizeLinear', [`${EMBEDDING}transposed_quantized`], [`${EMBEDDING}transposed`])),
    field(1, node('Mul', ['/normal', 'weight'], [LAST])),
    field(1, node('MatMul', [LAST, `${EMBEDDING}transposed`], ['logits'])),
    field(2, name),
    field(12, message(field(1, 'logits'), field(2, field(1, message(field(1, 1), field(2, 'shape')))))),
    field(12, field(1, 'present')),
  );
  return field(5, message(field(1, name), field(6, graph)));
};
const WEIGHTS = field(5, Buffer.alloc(300, 7));
const MODEL = message(
  field(1, 10),
  field(
    7,
    message(field(1, node('If', ['is_first'], ['logits', 'present'], branch('no_past'), branch('past'))), WEIGHTS),
  ),
  // A field of four bytes, and one of eight.
  Buffer.from([0x6d, 1, 2, 3, 4, 0x71, 1, 2, 3, 4, 5, 6, 7, 8]),
);

/** The nodes of a graph, with their inputs and outputs. */
const nodesOf = (graph: Buffer) =>
  insideOf(graph, 1).map((one) => {
    const names = (number: number) => insideOf(one, number).map(textOf).join(' ');
    return `${names(1)} ${names(4)} ${names(2)}`;
  });

describe('moonshineDecoder', () => {
  const [graph] = insideOf(moonshineDecoder(MODEL), 7);

  it('has one tail after both branches, with quantized weights', () => {
    expect(nodesOf(graph!)).toEqual([
      'is_first If hidden present',
      `${EMBEDDING}merged_0_quantized Transpose head`,
      'hidden DynamicQuantizeLinear bytes bytes_scale bytes_zero',
      `bytes head bytes_zero ${EMBEDDING}merged_0_zero_point MatMulInteger sums`,
      'sums Cast products',
      `bytes_scale ${EMBEDDING}merged_0_scale Mul both_scales`,
      'products both_scales Mul logits',
    ]);
    for (const attribute of insideOf(insideOf(graph!, 1)[0]!, 5)) {
      const [inside] = insideOf(attribute, 6);
      expect(nodesOf(inside!)).toEqual([
        `${EMBEDDING}merged_0_quantized ids Gather /embedded`,
        `/normal weight Mul ${LAST}`,
      ]);
      expect(insideOf(inside!, 12).map((output) => textOf(insideOf(output, 1)[0]!))).toEqual([LAST, 'present']);
    }
  });

  it('leaves everything else unchanged', () => {
    const result = moonshineDecoder(MODEL);
    expect(result.subarray(0, 2)).toEqual(MODEL.subarray(0, 2));
    expect(result.subarray(-14)).toEqual(MODEL.subarray(-14));
    expect(message(...insideOf(graph!, 5))).toEqual(Buffer.alloc(300, 7));
  });

  it.each([
    ['a length beyond the end', [0x3a, 5, 1]],
    ['a field of no known kind', [0x3b, 1]],
    ['a number without an end', [0x08, ...Array<number>(10).fill(0x80)]],
    ['a number that is cut off', [0x08, 0x80]],
  ])('rejects a message with %s', (_, bytes) => {
    expect(() => edited(Buffer.from(bytes), () => undefined)).toThrow(expect.objectContaining({ name: 'RangeError' }));
  });
});
