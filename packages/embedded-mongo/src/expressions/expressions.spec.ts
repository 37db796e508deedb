import { Decimal128, Double, Long, MinKey, ObjectId, Timestamp } from 'bson';
import { CommandError } from '../wire/errors.js';
import { constants, evaluationContext, expression } from './expressions.js';
import { operators } from './operators.js';

const long = (value: number | string): Long => Long.fromString(String(value));
const double = (value: number): Double => new Double(value);
const decimal = (value: string): Decimal128 => Decimal128.fromString(value);
const date = (text: string): Date => new Date(text.includes('T') ? text : `${text}T00:00:00Z`);
const MAX = long('9223372036854775807');

const doc = {
  int: 5,
  negative: -7,
  long: long(9_007_199_254_740_993n.toString()),
  double: 2.5,
  whole: double(3),
  decimal: decimal('1.10'),
  null: null,
  text: 'aBc é',
  list: [1, 2, 3],
  docs: [{ a: 1 }, { a: 2, b: 1 }, { b: 3 }, 4],
  sub: { a: { b: 1 } },
  date: date('2024-01-31T10:20:30.400Z'),
  id: ObjectId.createFromHexString('65a1b2c3d4e5f60718293a4b'),
  true: true,
};

/** Distinguishes BSON classes, which `toEqual` alone does not for these. */
const evaluate = (given: unknown): unknown =>
  expression(given, ['x'])(evaluationContext(doc, { ...constants({}), x: [{ y: 1 }] }));

// From MongoDB's manual or its own tests.
const results: Record<string, [unknown, unknown][]> = {
  paths: [
    ['$int', 5],
    ['$sub.a.b', 1],
    ['$docs.a', [1, 2]],
    ['$list.0', []],
    ['$nothing.at.all', undefined],
    ['$$ROOT.sub.a', { b: 1 }],
    ['$$CURRENT.int', 5],
    ['$$x.y', [1]],
    ['$$REMOVE', undefined],
    ['text', 'text'],
    [
      { a: '$nothing', b: ['$nothing', 1], c: { d: '$int' } },
      { b: [null, 1], c: { d: 5 } },
    ],
    [{ $literal: { $add: ['$x'] } }, { $add: ['$x'] }],
    [{ $let: { vars: { low: 1, high: '$list' }, in: { $add: ['$$low', { $size: '$$high' }] } } }, 4],
  ],
  comparisons: [
    [{ $eq: ['$nothing', null] }, false],
    [{ $lt: ['$nothing', null] }, true],
    [{ $gt: ['$nothing', new MinKey()] }, true],
    [{ $lt: ['$null', 0] }, true],
    [{ $lt: ['$int', 'a'] }, true],
    [{ $gt: ['$true', '$text'] }, true],
    [{ $gt: ['$list', {}] }, true],
    [{ $eq: ['$whole', 3] }, true],
    [{ $eq: [long(3), double(3)] }, true],
    [{ $lt: [long('9007199254740992'), '$long'] }, true],
    [{ $eq: [NaN, NaN] }, true],
    [{ $lt: [NaN, -Infinity] }, true],
    [
      {
        $eq: [
          [1, 2],
          [1, 2],
        ],
      },
      true,
    ],
    [{ $gt: [[2], [1, 9]] }, true],
    [{ $lt: [{ a: 1 }, { a: 1, b: 1 }] }, true],
    [
      {
        $ne: [
          { a: 1, b: 1 },
          { b: 1, a: 1 },
        ],
      },
      true,
    ],
    [{ $lt: [date('2024-01-01'), new Timestamp({ t: 1, i: 1 })] }, true],
    [{ $cmp: ['b', 'a'] }, 1],
    [{ $cmp: [1, double(1)] }, 0],
    [{ $gte: [2, 2] }, true],
    [{ $lte: [3, 2] }, false],
  ],
  logic: [
    [{ $and: [] }, true],
    [{ $or: [] }, false],
    [{ $and: [1, 'x', []] }, true],
    [{ $and: ['$null'] }, false],
    [{ $or: [0, decimal('0'), '$nothing'] }, false],
    [{ $or: [0, ''] }, true],
    [{ $not: [[false]] }, false],
    [{ $not: ['$null'] }, true],
    [{ $cond: ['$true', 1, 2] }, 1],
    [{ $cond: { if: long(0), then: 1, else: '$nothing' } }, undefined],
    [{ $ifNull: ['$null', '$nothing', 3] }, 3],
    [{ $ifNull: ['$null', '$nothing'] }, undefined],
    [
      {
        $switch: {
          branches: [
            { case: '$null', then: 1 },
            { case: 1, then: 2 },
          ],
          default: 3,
        },
      },
      2,
    ],
    [{ $switch: { branches: [{ case: false, then: 1 }], default: 3 } }, 3],
  ],
  arithmetic: [
    [{ $add: ['$int', 1] }, 6],
    [{ $add: ['$int', long(1)] }, long(6)],
    [{ $add: ['$int', '$whole'] }, double(8)],
    [{ $add: [2147483647, 1] }, long(2147483648)],
    [{ $add: [MAX, 1] }, 9223372036854775808],
    [{ $add: ['$long', 2] }, long('9007199254740995')],
    [{ $add: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1] }, double(1)],
    [{ $add: ['$int', '$null'] }, null],
    [{ $add: [] }, 0],
    [{ $add: ['$date', 1000] }, date('2024-01-31T10:20:31.400Z')],
    [{ $subtract: ['$date', date('2024-01-31T10:20:30Z')] }, long(400)],
    [{ $subtract: ['$date', 400] }, date('2024-01-31T10:20:30Z')],
    [{ $subtract: [-2147483648, 1] }, long(-2147483649)],
    [{ $subtract: [3, '$whole'] }, double(0)],
    [{ $multiply: [65536, 65536] }, long(4294967296)],
    [{ $multiply: [MAX, 2] }, 18446744073709551616],
    [{ $multiply: ['$int', '$nothing'] }, null],
    [{ $divide: [6, 3] }, double(2)],
    [{ $divide: [1, 0.5] }, double(2)],
    [{ $mod: ['$negative', 3] }, -1],
    [{ $mod: [7, long(4)] }, long(3)],
    [{ $mod: [7, double(4)] }, 3],
    [{ $mod: [double(7), 4] }, double(3)],
    [{ $abs: -2147483648 }, long(2147483648)],
    [{ $abs: -2.5 }, 2.5],
    [{ $ceil: 2.1 }, double(3)],
    [{ $floor: -2.1 }, double(-3)],
    [{ $floor: '$long' }, doc.long],
    [{ $floor: '$null' }, null],
    [{ $round: 2.5 }, double(2)],
    [{ $round: [3.5] }, double(4)],
    [{ $round: [-2.5, 0] }, double(-2)],
    [{ $round: [10.5432, 1] }, 10.5],
    [{ $round: [1250, -2] }, 1200],
    [{ $round: [1350, -2] }, 1400],
  ],
  sums: [
    [{ $sum: '$list' }, 6],
    [{ $sum: ['$int', '$list', 'x'] }, 5],
    [{ $sum: [MAX, 1, -1] }, MAX],
    [{ $sum: ['$nothing'] }, 0],
    [{ $sum: [long(1), 0.5] }, 1.5],
    [{ $avg: '$list' }, double(2)],
    [{ $avg: ['$null', 'x'] }, null],
    [{ $avg: [1, 2] }, 1.5],
    [{ $max: ['$list'] }, 3],
    [{ $max: ['$list', 9, 'a'] }, [1, 2, 3]],
    [{ $min: ['$null', 4, 'a'] }, 4],
    [{ $min: [] }, null],
  ],
  arrays: [
    [{ $arrayElemAt: ['$list', -1] }, 3],
    [{ $arrayElemAt: ['$list', 9] }, undefined],
    [{ $arrayElemAt: ['$nothing', 0] }, null],
    [{ $first: '$list' }, 1],
    [{ $last: [[]] }, undefined],
    [{ $first: '$null' }, null],
    [{ $concatArrays: ['$list', [4]] }, [1, 2, 3, 4]],
    [{ $concatArrays: ['$list', '$null'] }, null],
    [{ $filter: { input: '$list', cond: { $gt: ['$$this', 1] } } }, [2, 3]],
    [{ $filter: { input: '$list', as: 'n', cond: true, limit: 1 } }, [1]],
    [{ $filter: { input: '$nothing', cond: true } }, null],
    [{ $map: { input: '$docs', as: 'd', in: '$$d.a' } }, [1, 2, null, null]],
    [{ $in: [double(2), '$list'] }, true],
    [{ $in: ['$nothing', [null]] }, false],
    [{ $isArray: '$list' }, true],
    [{ $isArray: ['$int'] }, false],
    [{ $size: '$list' }, 3],
    [{ $slice: ['$list', -2] }, [2, 3]],
    [{ $slice: ['$list', 1, 5] }, [2, 3]],
    [{ $slice: ['$list', -9, 1] }, [1]],
  ],
  objects: [[{ $mergeObjects: ['$sub', { c: 1 }, '$null'] }, { a: { b: 1 }, c: 1 }]],
  strings: [
    [{ $concat: ['$text', '!'] }, 'aBc é!'],
    [{ $concat: ['$text', '$null'] }, null],
    [{ $toUpper: '$text' }, 'ABC é'],
    [{ $toLower: 'ÄB' }, 'Äb'],
    [{ $toUpper: '$null' }, ''],
    [{ $strLenCP: '$text' }, 5],
    [{ $substrCP: ['a😀b', 1, 1] }, '😀'],
  ],
  types: [
    [{ $type: '$whole' }, 'double'],
    [{ $type: '$double' }, 'double'],
    [{ $type: '$int' }, 'int'],
    [{ $type: '$long' }, 'long'],
    [{ $type: '$decimal' }, 'decimal'],
    [{ $type: '$nothing' }, 'missing'],
    [{ $type: '$null' }, 'null'],
    [{ $type: ['$list'] }, 'array'],
    [{ $type: '$id' }, 'objectId'],
    [{ $type: '$date' }, 'date'],
    [{ $isNumber: '$decimal' }, true],
    [{ $isNumber: '$text' }, false],
  ],
};

describe('expressions', () => {
  it.each(Object.entries(results).flatMap(([kind, list]) => list.map(([given, found]) => [kind, given, found])))(
    '%s: %j gives %j',
    (_, given, found) => {
      expect(evaluate(given)).toStrictEqual(found);
    },
  );

  it('have a documented result for every supported operator', () => {
    const named = JSON.stringify(results);
    expect(Object.keys(operators).filter((name) => !named.includes(`{"${name}":`))).toEqual([]);
  });

  it.each<[unknown, number]>([
    ['$', 40353],
    ['$a..b', 40353],
    ['$$unknown', 17276],
    ['$$CLUSTER_TIME', 168],
    [{ $nothing: 1 }, 168],
    [{ $sin: 1 }, 168],
    [{ $function: {} }, 168],
    [{ $dateToString: { date: '$date' } }, 168],
    [{ $toInt: '1' }, 168],
    [{ $reduce: {} }, 168],
    [{ $add: [1], $subtract: [1] }, 15983],
    [{ a: 1, 'b.c': 2 }, 16412],
    [{ $let: { vars: { Upper: 1 }, in: 1 } }, 16867],
    [{ $add: ['x', 1] }, 14],
    [{ $add: [decimal('1'), 1] }, 115],
    [{ $sum: ['$decimal'] }, 115],
    [{ $divide: [1, 0] }, 2],
    [{ $mod: [1, 0] }, 16610],
    [{ $abs: long('-9223372036854775808') }, 28680],
    [{ $round: [1, 1000] }, 51083],
    [{ $subtract: [1] }, 16020],
    [{ $size: '$int' }, 17124],
    [{ $arrayElemAt: ['$list', 1.5] }, 28690],
    [{ $in: [1, '$null'] }, 40081],
    [{ $concat: [1] }, 16702],
    [{ $toUpper: '$list' }, 16007],
    [{ $toLower: '$int' }, 115],
    [{ $substrCP: ['$date', 0, 1] }, 115],
    [{ $switch: { branches: [{ case: false, then: 1 }] } }, 40066],
    [{ $filter: { input: [], cond: 1, other: 1 } }, 9],
  ])('reject %j with code %i', (given, code) => {
    const run = (): unknown => evaluate(given);
    expect(run).toThrow(CommandError);
    expect(run).toThrow(expect.objectContaining({ code }));
    if ([115, 168].includes(code)) expect(run).toThrow('embedded-mongo');
  });
});
