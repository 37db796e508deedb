/** Random pipelines of the operators, accumulators and stages that embedded-mongo supports. */
export function expressions({ pick, chance, below, word, number, date, scalar, list }) {
  const num = () =>
    pick(['$n', '$sub.a', '$mixed', '$nothing', number, number, () => ({ $size: { $ifNull: ['$nums', []] } })]);
  const text = () => pick(['$name', '$sub.b', '$nothing', word]);
  const array = () => pick(['$nums', '$tags', '$kids.a', '$nothing', () => [list(number)][0]]);
  const moment = () =>
    pick(['$date', '$nothing', date, () => new Date(Date.UTC(2024, below(12), 1 + below(31), below(24)))]);
  const any = () => pick([num, text, array, moment, '$mixed', '$sub', '$on', scalar]);
  const of = (source) => {
    let value = source;
    while (typeof value === 'function') value = value();
    return value !== null && typeof value === 'object' && Array.isArray(value) ? { $literal: value } : value;
  };
  const pair = (one) => [of(one), of(one)];
  const unary = (names, one) => () => ({ [pick(names)]: [of(one)] });

  const kinds = [
    () => ({ [pick(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp'])]: pair(any) }),
    () => ({ [pick(['$and', '$or'])]: pair(any) }),
    unary(['$not', '$isArray', '$isNumber', '$type'], any),
    () => ({ $cond: [of(any), of(any), of(any)] }),
    () => ({ $ifNull: pair(any) }),
    () => ({ $switch: { branches: [{ case: of(any), then: 1 }], default: of(any) } }),
    () => ({ [pick(['$add', '$subtract', '$multiply', '$divide', '$mod'])]: pair(num) }),
    unary(['$abs', '$ceil', '$floor', '$round'], num),
    () => ({ $round: [of(num), pick([0, 1, -1])] }),
    () => ({ [pick(['$sum', '$avg', '$min', '$max'])]: pick([of(array), pair(any)]) }),
    () => ({ $add: [of(moment), 1000] }),
    () => ({ $subtract: pair(moment) }),
    () => ({ $arrayElemAt: [of(array), below(4) - 2] }),
    unary(['$first', '$last'], array),
    () => ({ $concatArrays: pair(array) }),
    () => ({ $filter: { input: of(array), cond: { $gte: ['$$this', of(scalar)] } } }),
    () => ({ $map: { input: of(array), as: 'e', in: { $ifNull: ['$$e', 'none'] } } }),
    () => ({ $in: [of(any), { $ifNull: [of(array), []] }] }),
    () => ({ $slice: [of(array), below(5) - 2 || 1] }),
    () => ({ $mergeObjects: ['$sub', { z: of(any) }] }),
    () => ({ $concat: pair(text) }),
    unary(['$toUpper', '$toLower'], text),
    () => ({ $strLenCP: { $ifNull: [of(text), ''] } }),
    () => ({ $substrCP: [of(text), below(2), 1 + below(3)] }),
    // In a document of its own, where a number does not mean "keep this field".
    () => ({ $mergeObjects: [{ a: of(any), b: [of(any), 1] }] }),
  ];
  const expression = () => pick(kinds)();
  const accumulator = () =>
    pick([
      () => ({
        [pick(['$sum', '$avg', '$min', '$max', '$first', '$last', '$push'])]: pick([
          '$n',
          '$mixed',
          '$nums',
          '$sub.a',
          '$nothing',
        ]),
      }),
      () => ({ $count: {} }),
      () => ({ $mergeObjects: '$sub' }),
    ])();

  /** The stages after a sort by `_id`. */
  return (collection) =>
    pick([
      () => [{ $project: { r: expression() } }],
      () => [{ $project: { r: expression() } }],
      () => [{ $project: { r: expression() } }],
      () => [{ $project: { r: expression() } }],
      () => [{ $addFields: { [pick(['r', 'sub.a', 'kids.a', 'n'])]: expression() } }],
      () => [{ $match: { $expr: { $gt: [expression(), of(scalar)] } } }],
      () => [
        {
          $group: {
            _id: pick(['$name', '$on', '$n', '$mixed', { a: '$on', b: '$nothing' }]),
            r: accumulator(),
            s: accumulator(),
          },
        },
        { $sort: { _id: 1 } },
      ],
      () => [
        {
          $unwind: {
            path: pick(['$tags', '$nums', '$kids', '$n']),
            preserveNullAndEmptyArrays: chance(0.5),
            includeArrayIndex: 'i',
          },
        },
      ],
      () => [
        {
          $lookup: {
            from: collection,
            localField: pick(['n', 'tags', 'nothing', 'kids.a']),
            foreignField: pick(['n', 'tags', 'sub.a']),
            as: 'same',
            pipeline: [{ $sort: { _id: 1 } }, { $project: { n: 1 } }],
          },
        },
        { $project: { 'same._id': 1 } },
      ],
      () => [
        {
          $facet: {
            a: [{ $unwind: '$nums' }, { $group: { _id: null, r: accumulator() } }],
            b: [{ $skip: 2 }, { $limit: 2 }, { $project: { r: expression() } }],
          },
        },
      ],
      () => [{ $unset: 'kids' }, { $replaceWith: { $mergeObjects: ['$$ROOT', { r: expression() }] } }],
    ])();
}
