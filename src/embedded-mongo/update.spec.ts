import { Double, Long } from './bson.js';
import { seed, updater } from './update.js';

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
    [{ a: [3, 1] }, { $push: { a: { $each: [2], $sort: 1, $slice: -2 } } }, { a: [2, 3] }],
    [{ a: [1] }, { $push: { a: { $each: [9], $position: 0 } } }, { a: [9, 1] }],
    [{ a: [1, { b: 1 }] }, { $addToSet: { a: { $each: [{ b: 1 }, 2, 2] } } }, { a: [1, { b: 1 }, 2] }],
    [{ a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    [{ a: [{ b: 1, c: 1 }, { b: 2 }] }, { $pull: { a: { b: 1 } } }, { a: [{ b: 2 }] }],
    [{ a: [1, 2, 1] }, { $pullAll: { a: [1] } }, { a: [2] }],
    [{ a: [1, 2] }, { $pop: { a: -1 } }, { a: [2] }],
    [{ a: 1, b: {} }, { $rename: { a: 'b.c' } }, { b: { c: 1 } }],
    [{ a: 5 }, { $bit: { a: { and: 4 } } }, { a: 4 }],
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

  it('finds the element that the filter matched, and those that an array filter names', () => {
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
  });

  it.each([
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
  ])('%j is refused with code %i', (update, code) => {
    const run = () => updater(update, {}).apply({ _id: 1, n: 1, text: 'x', list: [] });
    expect(run).toThrow(expect.objectContaining({ code }));
  });

  it('starts an upsert from the equalities of the filter', () => {
    expect(seed({ a: 1, 'b.c': { $eq: 2 }, d: { $gt: 1 }, $and: [{ e: { $in: [5] } }], $or: [{ f: 1 }] })).toEqual({
      a: 1,
      b: { c: 2 },
      e: 5,
      f: 1,
    });
    expect(updater({ $setOnInsert: { made: true } }, {}).apply({}, true)).toEqual({ made: true });
    expect(updater({ $setOnInsert: { made: true } }, {}).apply({})).toEqual({});
  });
});
