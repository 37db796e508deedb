import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { field, fieldsIn, GRAPH, MODEL, NODE, type OnnxField, textIn } from './onnx.fields.js';

const [FLOAT, INT64] = [1, 7];
/** The kind of an attribute that is a number. */
const NUMBER = 2;

/**
 * Changes a copy of a model so that its output ends with the number of frames that each phoneme id lasts, of which
 * sherpa-onnx would drop any other output: the model rounds them up, and it has no other operator of that kind.
 *
 * @returns false if the model has no such numbers, and is unchanged
 */
export function appendDurations(file: string): boolean {
  const descriptor = openSync(file, 'r+');
  try {
    const { size } = fstatSync(descriptor);
    const read = (message: Pick<OnnxField, 'start' | 'end'>, number: number) =>
      [...fieldsIn(descriptor, message)].filter((one) => one.number === number);
    const inGraphs = (number: number) =>
      read({ start: 0, end: size }, MODEL.graph).flatMap((graph) => read(graph, number));
    const nodes = inGraphs(GRAPH.node).map((node) => [...fieldsIn(descriptor, node)]);
    const namesIn = (node: readonly OnnxField[], part: number) =>
      node.filter(({ number }) => number === part).map((name) => textIn(descriptor, name));
    const output = inGraphs(GRAPH.output)[0]!;
    const name = textIn(descriptor, read(output, 1)[0]!);
    const dimensions = [2, 1, 2, 1].reduce(
      (messages, number) => messages.flatMap((one) => read(one, number)),
      [output],
    );
    const rounded = nodes.filter((node) => namesIn(node, NODE.operator)[0] === 'Ceil');
    const sound = nodes.flat().filter((part) => part.number <= NODE.output && textIn(descriptor, part) === name);
    const rank = dimensions.length;
    if (rounded.length !== 1 || sound.length !== 1 || sound[0]!.number !== NODE.output || rank === 0) return false;
    const frames = namesIn(rounded[0]!, NODE.output)[0]!;
    const [part, shape, durations, numbers] = [`~${name.slice(1)}`, '~shape', '~durations', '~numbers'];
    const graph = [
      field(GRAPH.initializer, shapeOf(shape, rank)),
      // A model of half precision may count in that.
      nodeOf('Cast', [frames], numbers, attribute('to', FLOAT)),
      nodeOf('Reshape', [numbers, shape], durations),
      nodeOf('Concat', [part, durations], name, attribute('axis', rank - 1)),
    ];
    writeSync(descriptor, part.slice(0, 1), sound[0]!.start);
    // A message's parts may be anywhere in a file.
    writeSync(descriptor, field(MODEL.graph, Buffer.concat(graph)), 0, undefined, size);
    return true;
  } finally {
    closeSync(descriptor);
  }
}

function nodeOf(operator: string, inputs: readonly string[], output: string, ...attributes: Buffer[]): Buffer {
  const parts = [...inputs.map((name) => field(NODE.input, name)), field(NODE.output, output)];
  return field(GRAPH.node, Buffer.concat([...parts, field(NODE.operator, operator), ...attributes]));
}

function attribute(name: string, value: number): Buffer {
  return field(NODE.attribute, Buffer.concat([field(1, name), field(3, value), field(20, NUMBER)]));
}

/** A tensor with the shape 1, 1, …, any. */
function shapeOf(name: string, rank: number): Buffer {
  const data = Buffer.from(BigInt64Array.from({ length: rank }, (_, at) => (at < rank - 1 ? 1n : -1n)).buffer);
  return Buffer.concat([field(1, rank), field(2, INT64), field(8, name), field(9, data)]);
}
