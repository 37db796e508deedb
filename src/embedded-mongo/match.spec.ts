import { Double, Long, ObjectId } from './bson.js';
import { BSONRegExp } from './bson.js';
import { CommandError } from './errors.js';
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
    [{ n: { $bitsAllSet: 3 } }, true],
    [{ date: { $lt: new Date(6) } }, true],
    [{ missing: { $in: [null] } }, true],
    [{ name: new ObjectId() }, false],
  ])('%j → %s', (filter, wanted) => expect(matcher(filter)(doc)).toBe(wanted));

  it('gives $expr the variables of the command', () => {
    expect(matcher({ $expr: { $eq: ['$n', '$$three'] } }, { three: 3 })(doc)).toBe(true);
  });

  it.each([
    [{ $where: '1' }],
    [{ n: { $foo: 1 } }],
    [{ n: { $in: 1 } }],
    [{ $or: [] }],
    [{ $and: [1] }],
    [{ n: { $mod: [0, 1] } }],
    [{ n: { $regex: '(' } }],
    [{ n: { $type: 'thing' } }],
    [{ n: { $elemMatch: 1 } }],
  ])('refuses %j', (filter) => {
    expect(() => matcher(filter)).toThrow(CommandError);
    expect(() => matcher(filter)).toThrow(expect.objectContaining({ code: 2 }));
  });
});
