import { attribute, ATTRIBUTE, GRAPH, MODEL, node, NODE, VALUE } from './onnx.graph.js';
import { edited, field, insideOf, message, textOf } from './onnx.message.js';

/** ONNX's code of a tensor's element type. */
const FLOAT = 1;

const EMBEDDING = 'model.decoder.embed_tokens.weight_';
const [WEIGHTS, SCALE, ZERO] = ['quantized', 'scale', 'zero_point'].map((part) => `${EMBEDDING}merged_0_${part}`);
/** The nodes after the last layer, in each of the two branches. */
const HEAD = new Set([`${EMBEDDING}transposed_quantized`, `${EMBEDDING}transposed`, 'logits']);
const LAST_LAYER = '/model/decoder/norm/Mul_output_0';
const FLOATS = field(VALUE.type, field(1, field(1, FLOAT)));

/**
 * Moonshine's decoder with quantized weights in its last step, as in the rest of it. As published, it expands them to
 * 38 MB of floating-point numbers for each token: half of the time, and a third of the memory.
 *
 * @param model `decoder_model_merged.onnx`; the result for any other model is undefined
 */
export function moonshineDecoder(model: Buffer): Buffer {
  return edited(model, (number, graph) =>
    number === MODEL.graph ? [field(number, withHead(edited(graph, editMain)))] : undefined,
  );
}

function editMain(number: number, node: Buffer): Buffer[] | undefined {
  if (number !== GRAPH.node) return undefined;
  const choice = edited(node, (part, value) => {
    if (part === NODE.output && textOf(value) === 'logits') return [field(part, 'hidden')];
    if (part !== NODE.attribute) return undefined;
    const branch = edited(value, (inside, graph) =>
      inside === ATTRIBUTE.graph ? [field(inside, edited(graph, editBranch))] : undefined,
    );
    return [field(part, branch)];
  });
  return [field(number, choice)];
}

/** A branch ends with its last layer. */
function editBranch(number: number, value: Buffer): Buffer[] | undefined {
  if (number === GRAPH.node) return HEAD.has(textOf(insideOf(value, NODE.output)[0]!)) ? [] : undefined;
  if (number !== GRAPH.output || textOf(insideOf(value, VALUE.name)[0]!) !== 'logits') return undefined;
  return [field(number, message(field(VALUE.name, LAST_LAYER), FLOATS))];
}

/** The common tail of both branches is moved behind them. */
function withHead(graph: Buffer): Buffer {
  return message(
    graph,
    node('Transpose', [WEIGHTS!], ['head']),
    node('DynamicQuantizeLinear', ['hidden'], ['bytes', 'bytes_scale', 'bytes_zero']),
    node('MatMulInteger', ['bytes', 'head', 'bytes_zero', ZERO!], ['sums']),
    node('Cast', ['sums'], ['products'], attribute('to', FLOAT)),
    node('Mul', ['bytes_scale', SCALE!], ['both_scales']),
    node('Mul', ['products', 'both_scales'], ['logits']),
  );
}
