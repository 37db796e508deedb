import { Decimal128, Double, Long } from 'bson';
import type { Doc } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { constants } from '../expressions/expressions.js';
import { PipelineContext, Flow, drain } from './flow.js';
import { matcher } from '../query/match.js';
import { LATER } from '../server/slice.js';
import { flowThrough, stagesOf } from './stages.js';
import { MAX_STAGE_MEMORY } from '../values/values.js';

const double = (value: number): Double => new Double(value);
const long = (value: number | string): Long => Long.fromString(String(value));

const other: Doc[] = [
  { _id: 'a', k: 1 },
  { _id: 'b', k: [1, 2] },
  { _id: 'c' },
  { _id: 'd', k: null },
  { _id: 'e', k: double(2), m: 1 },
];

/** With a pause before and after each document. */
function* paused(docs: Doc[]): Flow {
  for (const doc of docs) yield* [LATER, doc, LATER] as const;
}

function run(docs: Doc[], pipeline: unknown[]): Doc[] {
  const variables = constants({});
  const context: PipelineContext = {
    variables,
    due: () => true,
    read: (_, filter, values) => paused(other.filter(matcher(filter, values))),
  };
  return drain(flowThrough(paused(docs), stagesOf(pipeline, Object.keys(variables)), context));
}

/** The error of work that takes long, to be looked at more than once. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

const docs: Doc[] = [
  { _id: 1, n: 1, s: 'x', list: [1, 2] },
  { _id: 2, n: double(1), s: 'y', list: [] },
  { _id: 3, n: long(2), s: 'x', list: null },
  { _id: 4, s: 'z' },
];
const of = (accumulator: Doc): unknown[] => [{ $group: { _id: null, r: accumulator } }, { $project: { _id: 0 } }];
const group = (accumulator: Doc, found: unknown): [Doc[], unknown[], Doc[]] => [docs, of(accumulator), [{ r: found }]];
const lookup = { from: 'other', localField: 'v', foreignField: 'k', as: 'r' };
const joined = (v: unknown, ids: string[]): [Doc[], unknown[], Doc[]] => [
  [v === undefined ? { _id: 1 } : { _id: 1, v }],
  [{ $lookup: lookup }, { $project: { ids: '$r._id' } }],
  [{ _id: 1, ids }],
];

describe('stages', () => {
  it.each<[Doc[], unknown[], Doc[]]>([
    // $bucket: a lower bound belongs to its bucket, _id comes first, buckets are in order
    // $group
    [
      docs,
      [{ $group: { _id: '$n', ids: { $push: '$_id' } } }],
      [
        { _id: 1, ids: [1, 2] },
        { _id: long(2), ids: [3] },
        { _id: null, ids: [4] },
      ],
    ],
    [
      [{ a: null }, {}],
      [{ $group: { _id: { a: '$a' }, n: { $count: {} } } }],
      [
        { _id: { a: null }, n: 1 },
        { _id: {}, n: 1 },
      ],
    ],
    group({ $sum: '$n' }, double(4)),
    group({ $sum: '$s' }, 0),
    group({ $avg: '$n' }, 4 / 3),
    group({ $avg: '$s' }, null),
    group({ $max: '$n' }, long(2)),
    group({ $min: '$n' }, 1),
    group({ $min: '$nothing' }, null),
    group({ $first: '$n' }, 1),
    group({ $last: '$n' }, null),
    group({ $push: '$n' }, [1, double(1), long(2)]),
    group({ $addToSet: '$n' }, [1, long(2)]),
    group({ $mergeObjects: { k: '$n' } }, { k: long(2) }),
    group({ $count: {} }, 4),
    [[{ v: long('9223372036854775806') }, { v: 1 }], of({ $sum: '$v' }), [{ r: long('9223372036854775807') }]],
    [[{ v: long('9223372036854775807') }, { v: 1 }], of({ $sum: '$v' }), [{ r: 9223372036854775808 }]],
    [[{ v: 2147483647 }, { v: 1 }], of({ $sum: '$v' }), [{ r: long(2147483648) }]],
    [[{ v: 0.1 }, { v: 0.2 }, { v: 0.3 }], of({ $sum: '$v' }), [{ r: 0.6 }]],
    [[], of({ $sum: 1 }), []],
    // $unwind
    [
      docs,
      [{ $unwind: '$list' }, { $project: { list: 1 } }],
      [
        { _id: 1, list: 1 },
        { _id: 1, list: 2 },
      ],
    ],
    [
      docs,
      [
        { $unwind: { path: '$list', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
        { $project: { list: 1, i: 1 } },
      ],
      [
        { _id: 1, list: 1, i: long(0) },
        { _id: 1, list: 2, i: long(1) },
        { _id: 2, i: null },
        { _id: 3, list: null, i: null },
        { _id: 4, i: null },
      ],
    ],
    [
      [{ a: { b: [1] } }, { a: [{ b: [1] }] }, { a: { b: 7 } }],
      [{ $unwind: '$a.b' }],
      [{ a: { b: 1 } }, { a: { b: 7 } }],
    ],
    // $lookup, as in MongoDB's own tests of its equality
    joined(1, ['a', 'b']),
    joined(long(2), ['b', 'e']),
    joined([1, 2], ['a', 'b', 'e']),
    joined(null, ['c', 'd']),
    joined(undefined, ['c', 'd']),
    joined([], ['c', 'd']),
    [
      [{ v: [{ w: 1 }, { w: 2 }, 3] }],
      [{ $lookup: { ...lookup, localField: 'v.w' } }, { $project: { ids: '$r._id' } }],
      [{ ids: ['a', 'b', 'e'] }],
    ],
    [
      [{ _id: 1, v: 2, r: 'old', z: 1 }],
      [{ $lookup: { ...lookup, pipeline: [{ $match: { m: 1 } }, { $project: { _id: 0, m: 1 } }] } }],
      [{ _id: 1, v: 2, r: [{ m: 1 }], z: 1 }],
    ],
    [
      [{ _id: 1, v: 2 }],
      [
        {
          $lookup: {
            from: 'other',
            let: { w: '$v' },
            as: 'sub.r',
            pipeline: [{ $match: { $expr: { $eq: ['$k', '$$w'] } } }],
          },
        },
      ],
      [{ _id: 1, v: 2, sub: { r: [other[4]!] } }],
    ],
    // $facet
    [
      docs,
      [
        {
          $facet: {
            n: [{ $count: 'n' }],
            list: [{ $unwind: '$list' }, { $limit: 1 }, { $project: { list: 1 } }],
            none: [{ $match: { n: 9 } }],
          },
        },
      ],
      [{ n: [{ n: 4 }], list: [{ _id: 1, list: 1 }], none: [] }],
    ],
    // fields
    [
      [{ _id: 1, a: 1, b: 2 }],
      [{ $project: { b: 1, a: { $add: ['$a', 1] }, c: '$nothing' } }],
      [{ _id: 1, b: 2, a: 2 }],
    ],
    [[{ _id: 1, a: [1, { b: 2 }] }], [{ $project: { 'a.c': '$_id' } }], [{ _id: 1, a: [{ c: 1 }, { c: 1 }] }]],
    [[{ _id: 1, a: [1, { b: 2 }] }], [{ $project: { 'a.b': 1 } }], [{ _id: 1, a: [{ b: 2 }] }]],
    [[{ _id: 1, a: [1, { b: 2 }] }], [{ $set: { 'a.b': '$_id' } }], [{ _id: 1, a: [{ b: 1 }, { b: 1 }] }]],
    [[{ _id: 1, a: 1, b: 1 }], [{ $set: { a: '$$REMOVE', b: { c: 1 }, d: 1 } }], [{ _id: 1, b: { c: 1 }, d: 1 }]],
    [[{ _id: 1, a: [1, 2, 3] }], [{ $project: { _id: 0, a: { $slice: ['$a', 2] } } }], [{ a: [1, 2] }]],
    [[{ a: { b: double(1) } }], [{ $replaceWith: '$a' }], [{ b: double(1) }]],
    [[{ a: { b: 1 } }], [{ $replaceRoot: { newRoot: { $mergeObjects: ['$a', { c: 1 }] } } }], [{ b: 1, c: 1 }]],
    [
      docs,
      [{ $skip: 1 }, { $sort: { s: -1 } }, { $limit: 2 }, { $unset: ['n', 'list'] }],
      [
        { _id: 4, s: 'z' },
        { _id: 2, s: 'y' },
      ],
    ],
    [
      docs,
      [{ $match: { $expr: { $lt: ['$n', 2] } } }, { $project: { n: 1 } }],
      [{ _id: 1, n: 1 }, { _id: 2, n: double(1) }, { _id: 4 }],
    ],
  ])('%j through %j is %j', (given, pipeline, found) => {
    const result = run(given, pipeline);
    expect(result).toStrictEqual(found);
    // Compares the order of the fields too.
    expect(JSON.stringify(result)).toBe(JSON.stringify(found));
  });

  it.each<[unknown, number]>([
    [{ $graphLookup: {} }, 40324],
    [{ $setWindowFields: {} }, 40324],
    [{ $densify: {} }, 40324],
    [{ $fill: {} }, 40324],
    [{ $bucketAuto: {} }, 40324],
    [{ $merge: 'x' }, 40324],
    [{ $bucket: {} }, 40324],
    [{ $redact: '$$KEEP' }, 40324],
    [{ $sample: { size: 1 } }, 40324],
    [{ $unionWith: 'other' }, 40324],
    [{ $documents: [] }, 40324],
    [{ constructor: 1 }, 40324],
    [{ $group: { _id: 1, r: { $stdDevPop: '$n' } } }, 168],
    [{ $group: { _id: 1, r: { $top: { sortBy: { n: 1 }, output: '$n' } } } }, 168],
    [{ $group: { _id: 1, r: { $sum: { $literal: Decimal128.fromString('1') } } } }, 115],
    [{ $group: { _id: 1, r: { $sum: ['$n'] } } }, 40237],
    [{ $group: { _id: 1, r: 5 } }, 40234],
    [{ $group: { _id: 1, 'a.b': { $sum: 1 } } }, 40235],
    [{ $unwind: 'list' }, 28818],
    [{ $unwind: { path: '$list', other: 1 } }, 28811],
    [{ $lookup: { from: 'x' } }, 9],
    [{ $lookup: { from: 'x', as: 'r', localField: 'a' } }, 9],
    [{ $lookup: { from: 'x', as: 'r', pipeline: [{ $set: { a: '$$who' } }] } }, 17276],
    [{ $facet: {} }, 40169],
    [{ $facet: { a: 1 } }, 40170],
    [{ $sortByCount: '$s' }, 40324],
    [{ $replaceRoot: {} }, 40231],
    [{ $replaceWith: 1 }, 40228],
    [{ $project: { a: {} } }, 51270],
    [{ $project: { a: 1, 'a.b': '$n' } }, 31249],
    [{ $set: { a: 1, 'a.b': 1 } }, 40176],
  ])('reject %j with code %i', (stage, code) => {
    const work = (): unknown => run(docs, [stage]);
    expect(work).toThrow(CommandError);
    expect(work).toThrow(expect.objectContaining({ code }));
    if ([115, 168, 40324].includes(code)) expect(work).toThrow('embedded-mongo');
  });

  it.each<[string, unknown[]]>([
    ['$group', of({ $push: '$text' })],
    ['$addToSet', of({ $addToSet: { id: '$_id', text: '$text' } })],
    ['$lookup', [{ $limit: 1 }, { $lookup: { from: 'all', pipeline: [], as: 'r' } }]],
    ['$facet', [{ $facet: { a: [] } }]],
    ['$sort', [{ $sort: { text: 1 } }]],
  ])('hold at most 100 MiB: %s', (_, pipeline) => {
    const text = 'x'.repeat(1024 * 1024);
    function* many(): Flow {
      for (let _id = 0; _id < 120; _id++) yield { _id, text };
    }
    const context: PipelineContext = { variables: {}, due: () => false, read: many };
    const work = (): unknown => drain(flowThrough(many(), stagesOf(pipeline), context));
    const error = thrownBy(work);
    expect(error).toMatchObject({ code: 292, message: expect.stringContaining('embedded-mongo') });
    expect(error).toMatchObject({ message: expect.stringContaining(String(MAX_STAGE_MEMORY)) });
  });

  it('accept a Decimal128 if nothing is calculated', () => {
    const given = [{ _id: 1, d: Decimal128.fromString('1.10') }];
    expect(run(given, [{ $group: { _id: '$d', all: { $push: '$d' } } }])).toStrictEqual([
      { _id: given[0]!.d, all: [given[0]!.d] },
    ]);
  });
});
