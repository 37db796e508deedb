import { MaxKey, MinKey, Timestamp } from 'bson';
import { BSONRegExp, Binary, Decimal128, Double, Long, ObjectId } from './bson.js';
import { compare, joined, sortable } from './order.js';

/** One or more values of each rank, in MongoDB's documented order for comparisons across types. */
const ascending: unknown[][] = [
  [new MinKey()],
  [null, undefined],
  [NaN],
  [-Infinity],
  [Long.fromString('-9007199254740993')],
  [Long.fromString('-9007199254740992'), -(2 ** 53)],
  [-1.5, Decimal128.fromString('-1.5')],
  [-1, new Double(-1), Long.fromNumber(-1)],
  [0, -0, new Double(0)],
  [0.5],
  [1, new Double(1), Long.fromNumber(1), Decimal128.fromString('1')],
  [2 ** 53],
  [Long.fromString('9007199254740993')],
  [Infinity],
  [''],
  ['A'],
  ['a'],
  ['a\0'],
  ['a\0b'],
  ['aa'],
  ['é'],
  ['\uffff'],
  ['😀'],
  [{}, { a: undefined }],
  [{ a: 1 }],
  [{ a: 1, b: 1 }],
  [{ b: 1 }],
  [{ a: 'x' }],
  [[]],
  [[1]],
  [[1, 2]],
  [[2]],
  [new Binary(Buffer.from('b'))],
  [new Binary(Buffer.from('aa'))],
  [new ObjectId('000000000000000000000001')],
  [new ObjectId('ff0000000000000000000000')],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Timestamp({ t: 1, i: 1 })],
  [new BSONRegExp('a')],
  [new BSONRegExp('a', 'i')],
  [new MaxKey()],
];

describe('the order of BSON values', () => {
  it('is the order of their bytes, and inverted for a descending field', () => {
    const rows = ascending.flatMap((values, place) =>
      values.map((value) => ({
        value,
        place,
        key: sortable(value),
        inverted: Buffer.concat([sortable(value, true), Buffer.from([1])]),
      })),
    );
    // Thousands of pairs: an assertion for each takes ten times as long as the comparison.
    const wrong: unknown[] = [];
    for (const a of rows) {
      for (const b of rows) {
        const wanted = Math.sign(a.place - b.place);
        const found = [
          Math.sign(compare(a.value, b.value)),
          Buffer.compare(a.key, b.key),
          -Buffer.compare(a.inverted, b.inverted),
        ];
        if (found.some((order) => order !== wanted)) wrong.push([String(a.value), String(b.value), wanted, found]);
      }
    }
    expect(rows.length).toBeGreaterThan(ascending.length);
    expect(wrong).toEqual([]);
  });

  it('compares the first values, then the next, whatever bytes they begin with', () => {
    const keys = [
      ['a', 2],
      ['a\0', 1],
      ['aa', 0],
    ].map((values) => joined(values, [false, true]));
    expect([...keys].sort(Buffer.compare)).toEqual(keys);
  });
});
