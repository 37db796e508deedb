import { field, message } from './onnx.message.js';

/** Field numbers of ONNX messages. */
export const MODEL = { graph: 7 };
export const GRAPH = { node: 1, output: 12 };
export const NODE = { input: 1, output: 2, operator: 4, attribute: 5 };
export const ATTRIBUTE = { name: 1, integer: 3, graph: 6, type: 20 };
export const VALUE = { name: 1, type: 2 };
/** ONNX's code of an attribute type. */
const AN_INTEGER = 2;

/** A node of a graph. */
export function node(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes?: Buffer,
): Buffer {
  const fields = [
    ...inputs.map((name) => field(NODE.input, name)),
    ...outputs.map((name) => field(NODE.output, name)),
    field(NODE.operator, operator),
  ];
  return field(GRAPH.node, message(...fields, ...(attributes ? [field(NODE.attribute, attributes)] : [])));
}

/** An integer attribute of a node. */
export function attribute(name: string, value: number): Buffer {
  return message(field(ATTRIBUTE.name, name), field(ATTRIBUTE.integer, value), field(ATTRIBUTE.type, AN_INTEGER));
}
