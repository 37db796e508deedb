import { SAMPLE_RATE, SpeechSpans } from './speech.spans.js';

/** Spans in seconds for detected speech (also in seconds), in a recording of some length. */
function spansOf(speech: [number, number][], length: number): [number, number][] {
  const spans = new SpeechSpans();
  const complete = speech.flatMap(([start, end]) => spans.add({ start: start * SAMPLE_RATE, end: end * SAMPLE_RATE }));
  return [...complete, ...spans.completeSpan(length * SAMPLE_RATE)].map(({ start, end }) => [
    start / SAMPLE_RATE,
    end / SAMPLE_RATE,
  ]);
}

describe('SpeechSpans', () => {
  it.each<[string, [number, number][], number, [number, number][]]>([
    ['nothing', [], 10, []],
    ['an utterance, with a margin', [[1, 3]], 10, [[0.75, 3.25]]],
    ['a recording that is all speech', [[0, 4]], 4, [[0, 4]]],
    ['words with pauses, as one', [[1, 3], [4, 6], [7, 8]], 10, [[0.75, 8.25]]], // prettier-ignore
    ['words after a long pause, by themselves', [[1, 3], [8.5, 9]], 10, [[0.75, 3.25], [8.25, 9.25]]], // prettier-ignore
    ['speech that is too long, cut at the pause', [[1, 8], [9, 16]], 20, [[0.75, 8.25], [8.75, 16.25]]], // prettier-ignore
    ['speech that is too long without pauses, cut anywhere', [[1, 27]], 30, [[0.75, 14], [14, 27.25]]], // prettier-ignore
    ['margins that do not overlap', [[1, 14], [14.1, 16]], 20, [[0.75, 14.1], [14.1, 16.25]]], // prettier-ignore
  ])('returns %s', (_, speech, length, expected) => {
    expect(spansOf(speech, length)).toEqual(expected);
  });
});
