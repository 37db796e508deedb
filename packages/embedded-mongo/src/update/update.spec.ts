import { Timestamp } from 'bson';
import { BSONRegExp, Decimal128, Double, Long } from '../values/bson.js';
import { upsertSeed, updater } from './update.js';

describe('updater', () => {
  it.each([
    [{ a: 1 }, { $set: { b: 2 } }, { a: 1, b: 2 }],
    [{ a: 1 }, { $set: { z: 1, 'd.e': 1, b: 1 } }, { a: 1, b: 1, d: { e: 1 }, z: 1 }],
    [{ a: [1] }, { $set: { 'a.2': 3 } }, { a: [1, null, 3] }],
    [{ a: { b: 1, c: 2 } }, { $unset: { 'a.b': '' } }, { a: { c: 2 } }],
    [{ a: [1, 2] }, { $unset: { 'a.0': '' } }, { a: [null, 2] }],
    [{ a: 1 }, { $inc: { a: 2, b: 1 } }, { a: 3, b: 1 }],
    [{ a: 2147483647 }, { $inc: { a: 1 } }, { a: Long.fromString('2147483648') }],
    [{ a: 1 }, { $inc: { a: new Double(1) } }, { a: new Double(2) }],
    [{ a: Long.fromNumber(1) }, { $inc: { a: 1 } }, { a: Long.fromNumber(2) }],
    [{ a: 3 }, { $mul: { a: 2, b: 5 } }, { a: 6, b: 0 }],
    [
      { a: 3, b: 3 },
      { $min: { a: 1 }, $max: { b: 'text' } },
      { a: 1, b: 'text' },
    ],
    [{ a: 1 }, { $min: { a: 5, b: 1 } }, { a: 1, b: 1 }],
    [{ a: 1 }, { $max: { a: 0, b: 1 } }, { a: 1, b: 1 }],
    [{ a: 1.5 }, { $inc: { a: 1 } }, { a: 2.5 }],
    [{ a: 1.5 }, { $mul: { a: 2 } }, { a: new Double(3) }],
    [{ a: 2147483647 }, { $mul: { a: 2 } }, { a: Long.fromString('4294967294') }],
    [{ a: Long.fromNumber(2) }, { $mul: { a: 3 } }, { a: Long.fromNumber(6) }],
    [{ a: [1] }, { $push: { a: 2, b: { c: 1 } } }, { a: [1, 2], b: [{ c: 1 }] }],
    [{ a: [1, 2, 3] }, { $push: { a: { $each: [4], $slice: 2 } } }, { a: [1, 2] }],
    [{ a: [1, 2, 3] }, { $push: { a: { $each: [4], $slice: 0 } } }, { a: [] }],
    [{ a: [1, 2, 3] }, { $push: { a: { $each: [4], $position: -1 } } }, { a: [1, 2, 4, 3] }],
    [
      { a: [{ b: 2, c: 1 }, { b: 1 }, 5] },
      { $push: { a: { $each: [{ b: 1, c: 0 }], $sort: { b: -1, c: 1 } } } },
      { a: [{ b: 2, c: 1 }, { b: 1 }, { b: 1, c: 0 }, 5] },
    ],
    [
      { a: [{ b: { c: 2 } }, { b: { c: 1 } }, { b: { c: 2 } }] },
      { $push: { a: { $each: [], $sort: { 'b.c': 1 } } } },
      { a: [{ b: { c: 1 } }, { b: { c: 2 } }, { b: { c: 2 } }] },
    ],
    [{ a: [new Double(1)] }, { $addToSet: { a: 1, b: 2 } }, { a: [new Double(1)], b: [2] }],
    [{ a: [1, [1, 2]] }, { $pull: { a: 1, b: 1 } }, { a: [[1, 2]] }],
    [{ a: ['x', 'y'] }, { $pull: { a: new BSONRegExp('^x') } }, { a: ['y'] }],
    [{ a: [{ b: 1 }, { b: 2 }, 3] }, { $pull: { a: { b: { $gt: 1 } } } }, { a: [{ b: 1 }, 3] }],
    [{ a: [1] }, { $pullAll: { a: [2], b: [1] } }, { a: [1] }],
    [{ a: [1, 2] }, { $pop: { a: 1, b: 1 } }, { a: [1] }],
    [{ a: [1, 2] }, { $pop: { 'a.x': 1, 'b.c': 1 } }, { a: [1, 2] }],
    [{ a: [1, 2] }, { $unset: { 'a.b': '', 'a.5': '', 'x.y': '' } }, { a: [1, 2] }],
    [{ a: 1 }, { $unset: { 'a.b': '' } }, { a: 1 }],
    [{ a: [] }, { $set: { 'a.10': 1, 'a.9': 2 } }, { a: [...Array(9).fill(null), 2, 1] }],
    [{ a: { b: 1 } }, { $rename: { 'a.x': 'c', 'n.x': 'd' } }, { a: { b: 1 } }],
    [{ a: { $ref: 'c', $id: 1 } }, { $set: { 'a.$id': 2 } }, { a: { $ref: 'c', $id: 2 } }],
    [{ a: 1 }, { $set: { _id: 1 }, $unset: { a: '' } }, {}],
    [{ a: 1 }, {}, {}],
    [{ a: 1 }, { _id: 1, b: 2 }, { b: 2 }],
    [{ a: 1 }, [{ $project: { _id: 0, b: '$a' } }], { b: 1 }],
    [{ a: 1, b: [2] }, [{ $replaceWith: { _id: 1, b: '$b' } }], { b: [2] }],
    [{ a: [3, 1] }, { $push: { a: { $each: [2], $sort: 1, $slice: -2 } } }, { a: [2, 3] }],
    [{ a: [1] }, { $push: { a: { $each: [9], $position: 0 } } }, { a: [9, 1] }],
    [{ a: [1, { b: 1 }] }, { $addToSet: { a: { $each: [{ b: 1 }, 2, 2] } } }, { a: [1, { b: 1 }, 2] }],
    [{ a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    [{ a: [{ b: 1, c: 1 }, { b: 2 }] }, { $pull: { a: { b: 1 } } }, { a: [{ b: 2 }] }],
    [{ a: [1, 2, 1] }, { $pullAll: { a: [1] } }, { a: [2] }],
    [{ a: [1, 2] }, { $pop: { a: -1 } }, { a: [2] }],
    [{ a: 1, b: {} }, { $rename: { a: 'b.c' } }, { b: { c: 1 } }],
    [{ a: [{ b: 1 }, { b: 2 }] }, { $set: { 'a.$[].b': 0 } }, { a: [{ b: 0 }, { b: 0 }] }],
    [{ a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }, { $unset: 'a' }], { b: 2 }],
    [{ a: new Double(1) }, [{ $set: { b: 1 } }], { a: new Double(1), b: 1 }],
  ])('%j by %j', (before, update, after) => {
    const doc = { _id: 1, ...before };
    const result = updater(update, {}).apply(doc);
    expect(result).toEqual({ _id: 1, ...after });
    expect(Object.keys(result)).toEqual(['_id', ...Object.keys(after)]);
    expect(doc).toEqual({ _id: 1, ...before });
  });

  it('resolves the element that the filter matched, and those that an array filter matches', () => {
    const doc = { _id: 1, a: [{ b: 1, c: 1 }, { b: 2 }, { b: 2 }] };
    expect(updater({ $set: { 'a.$.c': 9 } }, { 'a.b': 2 }).apply(doc).a).toEqual([
      { b: 1, c: 1 },
      { b: 2, c: 9 },
      { b: 2 },
    ]);
    const many = updater({ $inc: { 'a.$[e].c': 1 } }, {}, [{ 'e.b': 2 }]);
    expect(many.apply(doc).a).toEqual([
      { b: 1, c: 1 },
      { b: 2, c: 1 },
      { b: 2, c: 1 },
    ]);
    const either = updater({ $unset: { 'a.$[e].b': '' } }, {}, [{ $or: [{ 'e.b': 1 }, { 'e.c': 5 }] }]);
    expect(either.apply(doc).a).toEqual([{ c: 1 }, { b: 2 }, { b: 2 }]);
    const deep = updater({ $set: { 'b.c.$': 9 } }, { 'b.c': { $gt: 1 } });
    expect(deep.apply({ b: { c: [1, 2, 3] } })).toEqual({ b: { c: [1, 9, 3] } });
  });

  it.each([{ _id: 1 }, { list: { $ne: 5 } }, { list: { $exists: true } }, { list: { $size: 2 } }, { 'list.1': 2 }])(
    'has no matched element for $ when the filter is %j',
    (filter) => {
      const run = () => updater({ $set: { 'list.$': 9 } }, filter).apply({ _id: 1, list: [1, 2] });
      expect(run).toThrow(expect.objectContaining({ code: 2 }));
    },
  );

  it('sets the time, as a date or as a timestamp', () => {
    jest.useFakeTimers({ now: 5_000 });
    try {
      const { apply } = updater({ $currentDate: { a: true, b: { $type: 'date' }, c: { $type: 'timestamp' } } }, {});
      expect(apply({})).toEqual({ a: new Date(5_000), b: new Date(5_000), c: new Timestamp({ t: 5, i: 1 }) });
    } finally {
      jest.useRealTimers();
    }
  });

  it('passes the constants of the statement to stages', () => {
    expect(updater([{ $set: { b: '$$x' } }], {}, [], { x: 7 }).apply({ _id: 1 })).toEqual({ _id: 1, b: 7 });
  });

  it.each<[unknown, number, unknown?]>([
    [5, 9],
    [{ $set: 5 }, 9],
    [{ $set: { '': 1 } }, 56],
    [{ $set: { 'a..b': 1 } }, 56],
    [{ $set: { $a: 1 } }, 52],
    [{ $set: { 'list.$x': 1 } }, 52],
    [{ $set: { '$[].a': 1 } }, 2],
    [{ $set: { $: 1 } }, 2],
    [{ $set: { 'n.$[]': 1 } }, 2],
    [{ $set: { 'none.$[]': 1 } }, 2],
    [{ $set: { 'list.x': 1 } }, 28],
    [{ $set: { 'n.x.y': 1 } }, 28],
    [{ $set: { 'list.9000000': 1 } }, 158],
    [{ $set: { _id: { a: 1 } } }, 66],
    [{ $unset: { _id: '' } }, 66],
    [{ $rename: { n: 5 } }, 2],
    [{ $rename: { n: 'a.' } }, 56],
    [{ $rename: { n: 'list.$[]' } }, 2],
    [{ $rename: { 'full.$[]': 'a' } }, 2],
    [{ $rename: { 'full.0': 'a' } }, 2],
    [{ $rename: { n: 'list.0' } }, 2],
    [{ $rename: { 'n.x': 'a' } }, 28],
    [{ $rename: { 'full.x': 'a' } }, 28],
    [{ $rename: { n: 'text.x' } }, 28],
    [{ $inc: { long: 1 } }, 2],
    [{ $mul: { text: 2 } }, 14],
    [{ $mul: { n: 'x' } }, 14],
    [{ $inc: { decimal: 1 } }, 2],
    [{ $mul: { n: Decimal128.fromString('2') } }, 2],
    [{ $currentDate: { a: { $type: 'x' } } }, 2],
    [{ $currentDate: { a: 5 } }, 2],
    [{ $push: { list: { $each: 5 } } }, 2],
    [{ $push: { list: { $each: [1], $foo: 1 } } }, 2],
    [{ $push: { list: { $each: [1], $slice: 'x' } } }, 2],
    [{ $push: { list: { $each: [1], $slice: 1.5 } } }, 2],
    [{ $push: { list: { $each: [1], $position: 'x' } } }, 2],
    [{ $push: { list: { $each: [1], $sort: 2 } } }, 2],
    [{ $push: { list: { $each: [1], $sort: { a: 'x' } } } }, 2],
    [{ $addToSet: { n: 1 } }, 2],
    [{ $addToSet: { list: { $each: 5 } } }, 14],
    [{ $pull: { n: 1 } }, 2],
    [{ $pullAll: { list: 1 } }, 2],
    [{ $pullAll: { n: [1] } }, 2],
    [{ $pop: { list: 2 } }, 9],
    [{ $bit: { n: { and: 1 } } }, 9],
    [{ $set: { 'full.$[x]': 1 } }, 2],
    [{ $set: { 'full.$[x]': 1 } }, 14, 5],
    [{ $set: { 'full.$[x]': 1 } }, 14, [5]],
    [{ $set: { 'full.$[x]': 1 } }, 9, [{}]],
    [{ $set: { 'full.$[x]': 1 } }, 9, [{ x: 1, y: 1 }]],
    [{ $set: { 'full.$[x]': 1 } }, 9, [{ x: 1 }, { y: 1 }]],
    [{ $set: { 'full.$[x]': 1 } }, 9, [{ x: 1 }, { x: 2 }]],
    [{ $set: { 'full.$[X]': 1 } }, 2, [{ X: 1 }]],
    [[{ $set: { _id: 5 } }], 66],
    [[{ $set: 5 }], 40272],
    [[{ $unset: [] }], 31119],
    [[{ $unset: 5 }], 31120],
    [[{ $replaceWith: '$n' }], 40228],
    [[5], 14],
    [{ $set: { a: 1, 'a.b': 2 } }, 40],
    [{ $foo: { a: 1 } }, 9],
    [{ $set: { _id: 2 } }, 66],
    [{ _id: 2, b: 1 }, 66],
    [{ $set: { 'n.b': 1 } }, 28],
    [{ $inc: { text: 1 } }, 14],
    [{ $inc: { n: 'x' } }, 14],
    [{ $push: { n: 1 } }, 2],
    [{ $pop: { n: 1 } }, 14],
    [{ $set: { 'list.$.a': 1 } }, 2],
    [{ a: 1, $set: { b: 1 } }, 52],
    [[{ $match: {} }], 72],
  ])('%j is rejected with code %i', (...[update, code, arrayFilters]) => {
    const made = () => ({
      _id: 1,
      n: 1,
      text: 'x',
      list: [],
      full: [{ x: 1 }],
      long: Long.fromString('9223372036854775807'),
      decimal: Decimal128.fromString('1'),
    });
    const doc = made();
    expect(() => updater(update, {}, arrayFilters).apply(doc)).toThrow(expect.objectContaining({ code }));
    expect(doc).toEqual(made());
  });

  it('starts an upsert from the equalities of the filter', () => {
    expect(
      upsertSeed({ a: 1, 'b.c': { $eq: 2 }, d: { $gt: 1 }, $and: [{ e: { $in: [5] } }], $or: [{ f: 1 }] }),
    ).toEqual({
      a: 1,
      b: { c: 2 },
      e: 5,
      f: 1,
    });
    expect(
      upsertSeed({ a: { $all: [1] }, b: { $in: [1, 2] }, c: new BSONRegExp('x'), d: { $in: [{ $gt: 1 }] } }),
    ).toEqual({
      a: 1,
    });
    expect(updater({ a: 1 }, {}).apply({}, true)).toEqual({ a: 1 });
    expect(() => updater({ $set: { _id: 2 } }, {}).apply({ _id: 1 }, true)).toThrow(
      expect.objectContaining({ code: 66 }),
    );
    expect(updater({ $setOnInsert: { made: true } }, {}).apply({}, true)).toEqual({ made: true });
    expect(updater({ $setOnInsert: { made: true } }, {}).apply({})).toEqual({});
  });
});
