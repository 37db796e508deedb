import { Readable } from 'node:stream';
import { LINE_LIMIT, readLines } from './lines.js';

async function linesOf(...chunks: (string | Buffer)[]): Promise<[number: number, text: string, end: number][]> {
  const lines: [number, string, number][] = [];
  for await (const { number, bytes, end } of readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))) {
    lines.push([number, bytes.toString(), end]);
  }
  return lines;
}

it.each<[string, string[], [number, string, number][]]>([
  ['nothing', [], []],
  ['one line', ['ab\n'], [[1, 'ab', 3]]],
  [
    'a last line without a line end',
    ['a\nb'],
    [
      [1, 'a', 2],
      [2, 'b', 4],
    ],
  ],
  [
    'blank lines',
    ['\n\na\n'],
    [
      [1, '', 1],
      [2, '', 2],
      [3, 'a', 4],
    ],
  ],
  ['a carriage return, which stays', ['a\r\n'], [[1, 'a\r', 3]]],
  [
    'a line across many chunks',
    ['a', 'b', 'c\nd', 'e\n'],
    [
      [1, 'abc', 4],
      [2, 'de', 7],
    ],
  ],
  [
    'a line that ends with its chunk',
    ['a\n', 'b\n'],
    [
      [1, 'a', 2],
      [2, 'b', 4],
    ],
  ],
  ['other Unicode separators, which do not end a line', ['a\u2028b\u0085c\n'], [[1, 'a\u2028b\u0085c', 9]]],
])('cuts %s', async (_, chunks, expected) => {
  expect(await linesOf(...chunks)).toEqual(expected);
});

it('reassembles a character that is split between two chunks', async () => {
  const bytes = Buffer.from('😀\n');
  expect(await linesOf(bytes.subarray(0, 2), bytes.subarray(2))).toEqual([[1, '😀', 5]]);
});

it('keeps a line of exactly the limit, drops a longer one, and continues with the next', async () => {
  const most = 'x'.repeat(LINE_LIMIT);
  const lines = await linesOf(`${most}\n`, most, 'x\nnext\n', most, most);
  expect(lines.map(([number, text]) => [number, text.length > 10 ? text.length : text])).toEqual([
    [1, LINE_LIMIT],
    [2, 'too long'],
    [3, 'next'],
    [4, 'too long'],
  ]);
});
