import { field, GRAPH, MODEL, NODE } from '../src/piper/onnx.fields.js';

export const [FLOAT, INT32, INT64, DOUBLE] = [1, 6, 7, 11];
const INPUT = 11;

const message = (number: number, ...parts: Buffer[]) => field(number, Buffer.concat(parts));

export const node = (operator: string, inputs: string[], output: string, ...attributes: Buffer[]) =>
  message(
    GRAPH.node,
    ...inputs.map((name) => field(NODE.input, name)),
    field(NODE.output, output),
    field(NODE.operator, operator),
    ...attributes,
  );

/** An attribute of a node. */
export const number = (name: string, value: number) =>
  message(NODE.attribute, field(1, name), field(3, value), field(20, 2));
export const numbers = (name: string, ...values: number[]) =>
  message(NODE.attribute, field(1, name), ...values.map((value) => field(8, value)), field(20, 7));

/** A constant. */
export const tensor = (name: string, type: number, shape: number[], data: ArrayBufferView) =>
  message(
    GRAPH.initializer,
    ...shape.map((length) => field(1, length)),
    field(2, type),
    field(8, name),
    field(9, Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  );

/** An input or an output, whose dimensions have any length. */
const value = (part: number, name: string, type: number, rank: number) => {
  const dimensions = Array.from({ length: rank }, (_, at) => message(1, field(2, `${name}_${at}`)));
  return message(part, field(1, name), message(2, message(1, field(1, type), message(2, ...dimensions))));
};
export const input = (name: string, type: number, rank: number) => value(INPUT, name, type, rank);
export const output = (name: string, type: number, rank: number) => value(GRAPH.output, name, type, rank);

/** A small model in the format of ONNX. */
export const onnx = (parts: Buffer[], facts: Record<string, string | number> = {}) =>
  Buffer.concat([
    field(1, 8),
    message(MODEL.graph, field(2, 'test'), ...parts),
    message(8, field(2, 15)),
    ...Object.entries(facts).map(([key, fact]) => message(MODEL.metadata, field(1, key), field(2, String(fact)))),
  ]);
