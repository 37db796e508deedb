import { BSONSymbol, Code, DBRef, MaxKey, MinKey, Timestamp } from 'bson';
import { BSONRegExp, Binary, Decimal128, Doc, Double, Long, ObjectId } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { matcher } from './match.js';

const doc = {
  name: 'Ada',
  n: 3,
  long: Long.fromNumber(5),
  on: null,
  tags: ['a', 'b'],
  kids: [{ a: 1, b: 'x' }, { a: 5 }],
  sub: { a: 1, b: [1, 2] },
  empty: [],
  date: new Date(5),
};

describe('matcher', () => {
  it.each([
    [{}, true],
    [{ name: 'Ada', n: 3 }, true],
    [{ n: new Double(3) }, true],
    [{ n: '3' }, false],
    [{ long: { $gt: 4, $lt: 6 } }, true],
    [{ n: { $gt: '1' } }, false],
    [{ on: null }, true],
    [{ missing: null }, true],
    [{ on: { $exists: true } }, true],
    [{ missing: { $exists: false } }, true],
    [{ n: { $gte: null } }, false],
    [{ missing: { $lte: null } }, true],
    [{ tags: 'a' }, true],
    [{ tags: ['a', 'b'] }, true],
    [{ tags: ['b', 'a'] }, false],
    [{ tags: { $ne: 'a' } }, false],
    [{ tags: { $nin: ['x'] } }, true],
    [{ tags: { $all: ['b', 'a'] } }, true],
    [{ tags: { $size: 2 } }, true],
    [{ 'tags.1': 'b' }, true],
    [{ 'tags.5': { $exists: false } }, true],
    [{ 'kids.a': 5 }, true],
    [{ 'kids.0.a': 5 }, false],
    [{ 'kids.b': null }, true],
    [{ 'empty.b': null }, false],
    [{ 'n.b': null }, true],
    [{ kids: { $elemMatch: { a: 5, b: 'x' } } }, false],
    [{ 'kids.a': 5, 'kids.b': 'x' }, true],
    [{ 'sub.b': { $elemMatch: { $gt: 1, $lt: 3 } } }, true],
    [{ sub: { a: 1, b: [1, 2] } }, true],
    [{ sub: { b: [1, 2], a: 1 } }, false],
    [{ name: new BSONRegExp('^ad', 'i') }, true],
    [{ name: { $regex: 'A d a', $options: 'x' } }, true],
    [{ name: { $not: new BSONRegExp('^x') } }, true],
    [{ name: { $in: [new BSONRegExp('^A'), 'x'] } }, true],
    [{ $or: [{ n: 1 }, { n: 3 }] }, true],
    [{ $nor: [{ n: 1 }, { n: 3 }] }, false],
    [{ $and: [{ n: 3 }, { tags: 'b' }] }, true],
    [{ $expr: { $gt: ['$n', 2] } }, true],
    [{ n: { $mod: [2, 1] } }, true],
    [{ n: { $type: 'int' } }, true],
    [{ long: { $type: ['string', 'long'] } }, true],
    [{ tags: { $type: 'array' } }, true],
    [{ date: { $lt: new Date(6) } }, true],
    [{ missing: { $in: [null] } }, true],
    [{ name: new ObjectId() }, false],
  ])('%j → %s', (filter, wanted) => expect(matcher(filter)(doc)).toBe(wanted));

  it('passes the variables of the command to $expr', () => {
    expect(matcher({ $expr: { $eq: ['$n', '$$three'] } }, { three: 3 })(doc)).toBe(true);
  });

  const regex = (pattern: string, options?: string) => new BSONRegExp(pattern, options);
  const decimalNaN = Decimal128.fromString('NaN');

  it.each<[Doc, unknown[], number[]]>([
    [{ $comment: 'why', a: 1 }, [1, 2], [0]],
    [{ a: { $not: { $gt: 1 } } }, [1, 2, 'x'], [0, 2]],
    [{ a: { $all: [] } }, [1, []], []],
    [{ a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } }, [[{ b: 1 }], [{ b: 1 }, { b: 2 }]], [1]],
    [{ a: { $elemMatch: { 0: 5 } } }, [[[5]], [[6]], [5]], [0]],
    [{ a: { $elemMatch: { $or: [{ b: 1 }, { b: 3 }] } } }, [[{ b: 1 }], [{ b: 2 }], [1]], [0]],
    [{ a: { $exists: 1 } }, [1, undefined], [0]],
    [{ a: { $exists: new Double(0) } }, [1, undefined], [1]],
    [{ a: { $exists: null } }, [1, undefined], [1]],
    [{ a: { $exists: 'text' } }, [1, undefined], [0]],
    // A comparison stays within a type, except with MinKey and MaxKey. A missing value lies between those.
    [{ a: { $gt: new MinKey() } }, [1, undefined, null, new MinKey()], [0, 1, 2]],
    [{ a: { $lt: new MaxKey() } }, [1, undefined, null, new MaxKey()], [0, 1, 2]],
    [{ a: { $gt: { b: 1 } } }, [{ b: 2 }, { b: 1 }, 5], [0]],
    [{ a: { $gt: [1, 2] } }, [[1, 3], [1, 1], 5], [0]],
    // NaN equals itself, and is neither greater nor less than a number.
    [{ a: NaN }, [NaN, 1, decimalNaN], [0, 2]],
    [{ a: { $lte: NaN } }, [NaN, 1, decimalNaN], [0, 2]],
    [{ a: { $lt: NaN } }, [NaN, 1], []],
    [{ a: { $lt: 5 } }, [NaN, 1, decimalNaN, new Double(2)], [1, 3]],
    // A regular expression matches strings, and equal regular expressions.
    [{ a: regex('x') }, ['ax', regex('x'), regex('ax'), regex('x', 'i'), 5], [0, 1]],
    [{ a: { $eq: regex('x') } }, ['x', regex('x')], [1]],
    [{ a: { $nin: [regex('^x')] } }, ['x', 'y', 5], [1, 2]],
    [{ a: { $regex: regex('X', 'i') } }, ['x', 'y'], [0]],
    [{ a: { $regex: regex('X'), $options: 'si' } }, ['x', regex('X', 'is'), 'y'], [0, 1]],
    [{ a: { $regex: '(?i)X' } }, ['x', 'y'], [0]],
    [{ a: { $regex: 'a\\ b # a comment\n c', $options: 'x' } }, ['a bc', 'a b c', 'abc'], [0]],
    [{ a: { $mod: [2.9, 1] } }, [3, 4, -3, 'x', Long.fromNumber(5), 3.7], [0, 4, 5]],
    [{ a: { $mod: [3, -1] } }, [-4, 4], [0]],
    [{ a: new BSONSymbol('x') }, ['x', new BSONSymbol('x'), 'y'], [0, 1]],
    [{ a: 'x' }, [new BSONSymbol('x'), new BSONSymbol('y')], [0]],
    [{ a: new Code('x') }, [new Code('x'), 'x', new Code('x', { b: 1 })], [0]],
    [{ a: new Code('x', { b: 1 }) }, [new Code('x', { b: 1 }), new Code('x', { b: 2 })], [0]],
    [
      { a: new DBRef('c', new ObjectId(Buffer.alloc(12))) },
      [{ $ref: 'c', $id: new ObjectId(Buffer.alloc(12)) }, { $ref: 'c' }],
      [0],
    ],
    [{ 'a.$id': 1 }, [{ $ref: 'c', $id: 1 }], [0]],
    [
      { a: { $ref: 'c', $id: 1 } },
      [
        { $ref: 'c', $id: 1 },
        { $ref: 'c', $id: 2 },
      ],
      [0],
    ],
  ])('%j matches, of the values %j of a, those at %j', (filter, values, found) => {
    const docs = values.map((a) => (a === undefined ? {} : { a }));
    expect([...docs.keys()].filter((i) => matcher(filter)(docs[i]))).toEqual(found);
  });

  const typed: Record<string, [number, unknown[]]> = {
    double: [1, [new Double(1), 1.5, -0, NaN]],
    string: [2, ['x']],
    object: [3, [{ b: 1 }]],
    binData: [5, [new Binary(Buffer.from('x'))]],
    objectId: [7, [new ObjectId()]],
    bool: [8, [true]],
    date: [9, [new Date(0)]],
    null: [10, [null]],
    regex: [11, [regex('x')]],
    javascript: [13, [new Code('x')]],
    symbol: [14, [new BSONSymbol('x')]],
    javascriptWithScope: [15, [new Code('x', {})]],
    int: [16, [1]],
    timestamp: [17, [new Timestamp({ t: 1, i: 1 })]],
    long: [18, [Long.fromNumber(1)]],
    decimal: [19, [Decimal128.fromString('1')]],
    minKey: [-1, [new MinKey()]],
    maxKey: [127, [new MaxKey()]],
  };
  const all = Object.values(typed).flatMap(([, values]) => values);

  it.each(Object.entries(typed))('$type %s, by name and by number', (name, [code, values]) => {
    for (const $type of [name, code]) expect(all.filter((a) => matcher({ a: { $type } })({ a }))).toEqual(values);
  });

  it('$type accepts several types, all numbers, and whole arrays', () => {
    expect(all.filter((a) => matcher({ a: { $type: ['number', 2] } })({ a }))).toEqual(
      ['double', 'string', 'int', 'long', 'decimal'].flatMap((name) => typed[name]![1]),
    );
    expect(matcher({ a: { $type: 4 } })({ a: [] })).toBe(true);
    expect(matcher({ a: { $type: 'undefined' } })({})).toBe(false);
  });

  it.each<[Doc, number]>([
    [{ $where: '1' }, 2],
    [{ $or: [] }, 2],
    [{ $and: [1] }, 2],
    [{ n: { $foo: 1 } }, 2],
    [{ n: { $in: 1 } }, 2],
    [{ n: { $in: [{ $gt: 1 }] } }, 2],
    [{ n: { $nin: 1 } }, 2],
    [{ n: { $ne: regex('x') } }, 2],
    [{ n: { $gt: regex('x') } }, 2],
    [{ n: { $not: 5 } }, 2],
    [{ n: { $not: {} } }, 2],
    [{ n: { $size: 'x' } }, 2],
    [{ n: { $size: 1.5 } }, 2],
    [{ n: { $size: -1 } }, 2],
    [{ n: { $all: 1 } }, 2],
    [{ n: { $all: [{ $gt: 1 }] } }, 2],
    [{ n: { $all: ['x', { $elemMatch: { b: 1 } }] } }, 2],
    [{ n: { $elemMatch: 1 } }, 2],
    [{ n: { $mod: 1 } }, 2],
    [{ n: { $mod: [1] } }, 2],
    [{ n: { $mod: [1, 2, 3] } }, 2],
    [{ n: { $mod: ['a', 1] } }, 2],
    [{ n: { $mod: [2, 'a'] } }, 2],
    [{ n: { $mod: [0, 1] } }, 2],
    [{ n: { $regex: 5 } }, 2],
    [{ n: { $regex: 'x', $options: 5 } }, 2],
    [{ n: { $options: 'i' } }, 2],
    [{ n: { $regex: '(' } }, 51091],
    [{ n: { $regex: 'a\0' } }, 2],
    [{ n: { $regex: 'x', $options: 'q' } }, 51108],
    [{ n: { $type: 'thing' } }, 2],
    [{ n: { $type: 99 } }, 2],
    [{ n: { $type: [] } }, 9],
    [{ n: { $type: true } }, 14],
    [{ n: { $bitsAllSet: 3 } }, 2],
    [{ n: { $near: [0, 0] } }, 2],
    [{ $expr: { $nothing: 1 } }, 168],
    [{ list: { $elemMatch: { $expr: { $eq: ['$a', 1] } } } }, 2],
    [{ n: { $regex: '\\Ax' } }, 2],
    [{ $expr: { $eq: ['$n', '$$unknown'] } }, 17276],
  ])('rejects %j with code %i', (filter, code) => {
    const run = () => matcher(filter)(doc);
    expect(run).toThrow(CommandError);
    expect(run).toThrow(expect.objectContaining({ code }));
  });
});
