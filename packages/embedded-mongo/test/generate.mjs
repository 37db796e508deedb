/** Random documents and commands like those of real services. The same seed yields the same ones. */
import { Double, Int32, Long, ObjectId } from 'bson';
import { expressions } from './expressions.mjs';

/** A small random number generator (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  const chance = (p) => next() < p;
  const pick = (list) => list[below(list.length)];
  return { next, below, chance, pick };
}

const ids = Array.from({ length: 4 }, (_, i) =>
  ObjectId.createFromHexString(`6500000000000000000000${i}a`.padEnd(24, '0')),
);

export function generator(seed) {
  const r = random(seed);
  const word = () => r.pick(['ada', 'bob', 'eve', 'Äda', 'zoe', 'Zoe', 'a.b']);
  /** Includes the empty string, which the other server misses in an index range. */
  const tag = () => (r.chance(0.1) ? '' : word());
  const date = () => new Date(1_700_000_000_000 + r.below(5) * 1000);
  const number = () =>
    r.pick([
      () => new Int32(r.below(6) - 1),
      () => new Int32(r.below(6) - 1),
      () => new Double(r.below(4)),
      () => new Double(r.below(4) + 0.5),
      () => Long.fromNumber(r.below(4)),
    ])();
  const scalar = () => r.pick([number, number, word, word, date, () => null, () => r.chance(0.5), () => r.pick(ids)])();
  const list = (of) => Array.from({ length: r.below(4) }, of);
  const kid = () => ({ a: number(), ...(r.chance(0.7) && { b: word() }) });

  /** Mostly fields of one type, as with a schema. */
  const fields = {
    name: word,
    n: number,
    date,
    on: () => r.chance(0.5),
    owner: () => r.pick(ids),
    tags: () => list(tag),
    nums: () => list(number),
    kids: () => list(kid),
    sub: () => ({ a: number(), b: word(), ...(r.chance(0.3) && { c: { d: number() } }) }),
    mixed: scalar,
  };
  const names = Object.keys(fields);
  const doc = (id) => {
    const result = { _id: id };
    for (const name of names) if (r.chance(0.75)) result[name] = r.chance(0.06) ? null : fields[name]();
    return result;
  };

  const paths = {
    name: word,
    n: number,
    date,
    on: () => r.chance(0.5),
    owner: () => r.pick(ids),
    tags: word,
    nums: number,
    mixed: scalar,
    'kids.a': number,
    'kids.b': word,
    'sub.a': number,
    'sub.b': word,
    'sub.c.d': number,
    'nums.0': number,
    'kids.0.a': number,
    'kids.1.b': word,
  };
  const path = () => r.pick(Object.keys(paths));
  const types = ['string', 'number', 'int', 'double', 'long', 'bool', 'date', 'array', 'object', 'objectId', 'null'];

  function operators(name) {
    const value = () => (r.chance(0.08) ? null : paths[name]());
    return r.pick([
      () => ({ $eq: value() }),
      () => ({ $ne: value() }),
      () => ({ $gt: paths[name]() }),
      () => ({ $gte: paths[name](), $lt: paths[name]() }),
      () => ({ $lte: value() }),
      () => ({ $in: list(value) }),
      () => ({ $nin: list(value) }),
      () => ({ $exists: r.chance(0.5) }),
      () => ({ $not: { $gt: paths[name]() } }),
      () => ({ $not: { $in: list(value) } }),
      () => ({ $type: r.pick(types) }),
      () => ({ $mod: [2, r.below(2)] }),
      () => ({ $regex: r.pick(['^a', 'a', 'E$', 'o']), $options: r.pick(['', 'i']) }),
    ])();
  }
  function condition() {
    if (r.chance(0.12)) {
      return r.pick([
        () => ({ tags: { $all: [word(), word()] } }),
        () => ({ nums: { $size: r.below(4) } }),
        () => ({ nums: { $elemMatch: { $gte: number(), $lte: number() } } }),
        () => ({ kids: { $elemMatch: { a: number(), b: { $ne: word() } } } }),
        () => ({ kids: { $elemMatch: { a: { $gt: number() } } } }),
        () => ({ tags: list(word) }),
        () => ({ sub: { a: number(), b: word() } }),
        () => ({ tags: { $not: { $size: 2 } } }),
        () => ({ $expr: { $gt: ['$n', 1] } }),
        () => ({ tags: { $exists: true, $ne: [] } }),
      ])();
    }
    const name = path();
    return { [name]: r.chance(0.4) ? (r.chance(0.08) ? null : paths[name]()) : operators(name) };
  }
  function filter() {
    const kind = r.next();
    if (kind < 0.08) return {};
    if (kind < 0.16) return { _id: r.chance(0.5) ? id() : { $in: [id(), id()] } };
    if (kind < 0.55) return condition();
    if (kind < 0.75) return { ...condition(), ...condition() };
    const name = r.pick(['$and', '$or', '$or', '$nor']);
    return { ...(r.chance(0.4) && condition()), [name]: Array.from({ length: 1 + r.below(3) }, condition) };
  }
  const id = () => r.below(30);
  const sort = () => {
    /** @type {Record<string, number>} */
    const result = {};
    for (let i = r.below(3); i > 0; i--) result[path()] = r.pick([1, -1]);
    // A total order, so that there is one correct reply.
    if (!('_id' in result)) result._id = r.pick([1, -1]);
    return result;
  };
  function projection() {
    return r.pick([
      () => ({ name: 1, n: 1 }),
      () => ({ name: 1, _id: 0 }),
      () => ({ name: 0, kids: 0 }),
      () => ({ 'kids.a': 1, 'sub.b': 1 }),
      () => ({ 'kids.a': 0, 'sub.c.d': 0 }),
      () => ({ _id: 0 }),
      () => ({ _id: 1 }),
      () => ({ tags: { $slice: r.pick([1, -1, 2]) } }),
      () => ({ nums: { $slice: [1, 1] }, name: 1 }),
      () => ({ kids: { $elemMatch: { a: { $gte: number() } } } }),
      () => ({ sub: { a: 1 } }),
      () => ({ tags: true, on: true }),
    ])();
  }
  function change() {
    const one = () => {
      const numeric = r.pick(['n', 'sub.a', 'count', 'kids.0.a', 'mixed']);
      const any = r.pick(['name', 'n', 'sub.b', 'sub.c.d', 'kids.0.b', 'new', 'deep.er', 'tags.1', 'mixed', 'date']);
      return r.pick([
        () => ({ $set: { [any]: scalar() } }),
        () => ({ $set: { [any]: scalar(), zeta: scalar(), alpha: scalar() } }),
        () => ({ $unset: { [any]: '' } }),
        () => ({ $inc: { [numeric]: number() } }),
        () => ({ $mul: { [numeric]: number() } }),
        () => ({ $min: { [any]: scalar() } }),
        () => ({ $max: { [any]: scalar() } }),
        () => ({ $push: { tags: word() } }),
        () => ({ $push: { nums: { $each: list(number), $slice: r.pick([2, -2, 3]), $sort: r.pick([1, -1]) } } }),
        () => ({ $push: { kids: { $each: [kid()], $position: r.below(2) } } }),
        () => ({ $push: { kids: { $each: [kid(), kid()], $sort: { a: r.pick([1, -1]), b: 1 }, $slice: -3 } } }),
        () => ({ $addToSet: { tags: word() } }),
        () => ({ $addToSet: { nums: { $each: list(number) } } }),
        () => ({ $pull: { tags: word() } }),
        () => ({ $pull: { nums: { $gte: number() } } }),
        () => ({ $pull: { kids: { a: number() } } }),
        () => ({ $pullAll: { tags: [word(), word()] } }),
        () => ({ $pop: { nums: r.pick([1, -1]) } }),
        () => ({ $rename: { [r.pick(['name', 'sub.b', 'n'])]: r.pick(['renamed', 'sub.z']) } }),
        () => ({ $setOnInsert: { made: scalar() } }),
      ])();
    };
    const first = one();
    if (r.chance(0.7)) return first;
    const second = one();
    return Object.keys(first)[0] === Object.keys(second)[0] ? first : { ...first, ...second };
  }
  function update() {
    if (r.chance(0.12)) {
      const { _id, ...rest } = doc(0);
      return { u: rest };
    }
    if (r.chance(0.04)) return { q: { 'kids.0': { $exists: true } }, u: { $set: { 'kids.$[].b': word() } } };
    if (r.chance(0.08))
      return {
        q: { 'kids.a': { $gte: 0 } },
        u: { $set: { 'kids.$[e].b': word() } },
        arrayFilters: [{ 'e.a': { $gte: number() } }],
      };
    return { u: change() };
  }
  const index = () => {
    const key = {};
    for (let i = 1 + r.below(3); i > 0; i--)
      key[r.pick(['name', 'n', 'date', 'owner', 'sub.a', 'sub.b', 'mixed'])] = r.pick([1, -1]);
    // At most one array: an index over two is an error, which the other server may not detect.
    if (r.chance(0.4)) key[r.pick(['tags', 'nums', 'kids.a'])] = r.pick([1, -1]);
    const name = Object.entries(key).flat().join('_');
    return r.pick([
      () => ({ key, name }),
      () => ({ key, name }),
      () => ({ key, name }),
      () => ({ key, name, unique: true }),
      () => ({ key, name, sparse: true }),
      () => ({ key, name, unique: true, sparse: true }),
      () => ({ key, name, partialFilterExpression: { n: { $exists: true } } }),
      () => ({ key, name, unique: true, partialFilterExpression: { name: { $exists: true } } }),
      () => ({ key, name: 'fixed' }),
    ])();
  };
  const computed = expressions({ ...r, word, number, date, scalar, list });
  function stages() {
    if (r.chance(0.8))
      return [...(r.chance(0.2) ? [{ $match: filter() }] : []), { $sort: { _id: 1 } }, ...computed(collectionName)];
    const group = () =>
      r.pick([
        { $group: { _id: '$name', n: { $sum: 1 } } },
        { $group: { _id: '$on', total: { $sum: '$n' }, top: { $max: '$n' } } },
        { $group: { _id: { name: '$name', on: '$on' }, first: { $min: '$date' } } },
        { $group: { _id: null, n: { $sum: 1 } } },
      ]);
    const tail = [{ $sort: { _id: 1 } }];
    return r.pick([
      () => [{ $match: filter() }, group(), ...tail],
      () => [{ $match: filter() }, { $sort: sort() }, { $skip: r.below(3) }, { $limit: 1 + r.below(5) }],
      () => [{ $match: filter() }, { $unwind: '$tags' }, { $group: { _id: '$tags', n: { $sum: 1 } } }, ...tail],
      () => [{ $sort: { _id: 1 } }, { $project: { name: 1, upper: { $toUpper: '$name' } } }],
      () => [{ $match: filter() }, { $count: 'n' }],
      () => [{ $match: filter() }, { $group: { _id: '$name', avg: { $avg: '$n' }, low: { $min: '$n' } } }, ...tail],
      () => [
        { $sort: { _id: 1 } },
        { $group: { _id: '$on', ids: { $push: '$_id' }, one: { $first: '$_id' }, end: { $last: '$_id' } } },
        ...tail,
      ],
      () => [
        { $match: filter() },
        { $sort: { _id: 1 } },
        {
          $project: {
            later: { $add: ['$date', 1000] },
            big: { $cond: [{ $gte: ['$n', 2] }, 'yes', 'no'] },
          },
        },
      ],
      () => [
        { $match: filter() },
        { $sort: { _id: 1 } },
        { $project: { both: { $concat: [{ $ifNull: ['$name', '-'] }, '/', { $ifNull: ['$sub.b', '-'] }] }, n: 1 } },
      ],
      () => [
        { $sort: { _id: 1 } },
        { $unwind: { path: '$kids', preserveNullAndEmptyArrays: r.chance(0.5) } },
        { $project: { 'kids.a': 1 } },
      ],
      () => [
        { $match: { _id: { $lt: 6 } } },
        { $sort: { _id: 1 } },
        { $lookup: { from: collectionName, localField: 'name', foreignField: 'name', as: 'same' } },
        { $project: { 'same._id': 1 } },
      ],
      () => [{ $sort: { _id: 1 } }, { $unset: ['kids', 'sub.a'] }, { $limit: 3 }],
      () => [{ $sort: { _id: 1 } }, { $replaceRoot: { newRoot: { id: '$_id', name: '$name' } } }],
      () => [
        { $sort: { _id: 1 } },
        { $facet: { all: [{ $count: 'n' }], some: [{ $limit: 2 }, { $project: { name: 1 } }] } },
      ],
      () => [{ $sort: { _id: 1 } }, { $set: { 'sub.sum': { $add: [{ $ifNull: ['$_id', 0] }, 1] } } }],
      () => [{ $match: filter() }, { $sort: sort() }, { $project: { name: 1, n: 1 } }],
      () => [{ $match: filter() }, { $sort: sort() }, { $addFields: { more: { $size: { $ifNull: ['$kids', []] } } } }],
      () => [{ $match: filter() }, { $group: { _id: 1, n: { $sum: 1 } } }],
    ])();
  }

  let collectionName;
  /** A command on the collection. */
  function command(collection) {
    collectionName = collection;
    const find = () => ({
      find: collection,
      filter: filter(),
      sort: sort(),
      ...(r.chance(0.3) && { projection: projection() }),
      ...(r.chance(0.3) && { skip: r.below(4) }),
      ...(r.chance(0.4) && { limit: 1 + r.below(6) }),
    });
    return r.pick([
      find,
      find,
      find,
      find,
      () => ({ count: collection, query: filter(), ...(r.chance(0.2) && { skip: r.below(3), limit: 1 + r.below(5) }) }),
      () => ({ distinct: collection, key: path(), query: filter() }),
      () => ({ aggregate: collection, pipeline: stages(), cursor: {} }),
      () => ({ aggregate: collection, pipeline: stages(), cursor: {} }),
      () => ({ aggregate: collection, pipeline: stages(), cursor: {} }),
      () => ({
        insert: collection,
        documents: Array.from({ length: 1 + r.below(3) }, () => doc(id())),
        ordered: r.chance(0.5),
      }),
      () => {
        const upsert = r.chance(0.25);
        const multi = !upsert && r.chance(0.6);
        /** @type {any} */
        const statement = { q: filter(), ...update() };
        // Which of several matches a single update changes is not guaranteed, so name one.
        if (upsert) Object.assign(statement, { q: { _id: id(), ...(r.chance(0.5) && { 'sub.b': word() }) }, upsert });
        else if (multi && Object.keys(statement.u)[0].startsWith('$')) statement.multi = true;
        else statement.q = { ...(r.chance(0.3) && statement.q), _id: id() };
        return { update: collection, updates: [statement] };
      },
      () => {
        const upsert = r.chance(0.25);
        return {
          findAndModify: collection,
          query: upsert ? { _id: id() } : filter(),
          sort: sort(),
          ...(r.chance(0.15) && !upsert
            ? { remove: true }
            : (({ u, q, ...rest }) => ({ update: u, ...(q && !upsert && { query: q }), ...rest }))(update())),
          ...(upsert && { upsert }),
          ...(r.chance(0.5) && { new: true }),
          ...(r.chance(0.2) && { fields: { name: 1 } }),
        };
      },
      () => ({
        delete: collection,
        deletes: [
          r.chance(0.5) ? { q: { _id: id() }, limit: r.below(2) } : { q: { ...condition(), ...condition() }, limit: 0 },
        ],
      }),
      () => ({ createIndexes: collection, indexes: [index()] }),
      () => (r.chance(0.3) ? { dropIndexes: collection, index: '*' } : { listIndexes: collection }),
    ])();
  }
  return { ...r, doc, command, index, filter, id };
}
