import { attribute, node } from './onnx.graph.js';
import { field, insideOf, message, textOf } from './onnx.message.js';
import { sileroAt16kHz } from './silero.detector.js';

const branch = (name: string, suffix: string) => {
  const results = [`probability_${suffix}`, `next_${suffix}`];
  const graph = message(
    node('Conv', ['input', 'state'], [`sums_${suffix}`], attribute('group', 1)),
    node('LSTM', [`sums_${suffix}`], results),
    ...results.map((result) => field(12, field(1, result))),
  );
  return field(5, message(field(1, name), field(6, graph)));
};
const choice = message(
  field(1, 'is_16_khz'),
  ...['chosen', 'chosen_state'].map((name) => field(2, name)),
  field(4, 'If'),
  branch('else_branch', '8'),
  branch('then_branch', '16'),
);
const GRAPH = message(
  node('Constant', [], ['rate']),
  node('Equal', ['sr', 'rate'], ['is_16_khz']),
  field(1, choice),
  node('Identity', ['chosen'], ['output']),
  node('Identity', ['chosen_state'], ['stateN']),
  field(2, 'graph'),
  ...['input', 'state', 'sr'].map((name) => field(11, field(1, name))),
);
const MODEL = message(field(1, 8), field(7, GRAPH), field(8, 'opset'));

describe('sileroAt16kHz', () => {
  const result = sileroAt16kHz(MODEL);
  const [graph] = insideOf(result, 7);
  const named = (content: Buffer, number: number) => insideOf(content, number).map(textOf).join(' ');

  it('has the nodes for 16 kHz instead of the choice', () => {
    expect(insideOf(graph!, 1).map((each) => `${named(each, 1)} ${named(each, 4)} ${named(each, 2)}`)).toEqual([
      'input state Conv sums_16',
      'sums_16 LSTM probability_16 next_16',
      'probability_16 Identity chosen',
      'next_16 Identity chosen_state',
      'chosen Identity output',
      'chosen_state Identity stateN',
    ]);
  });

  it('leaves everything else unchanged', () => {
    expect(insideOf(graph!, 11)).toEqual(insideOf(GRAPH, 11));
    expect([named(graph!, 2), named(result, 8)]).toEqual(['graph', 'opset']);
    expect(result.subarray(0, 2)).toEqual(MODEL.subarray(0, 2));
  });
});
