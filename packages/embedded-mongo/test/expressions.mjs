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
  const units = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'];
  const pair = (one) => [of(one), of(one)];
  const unary = (names, one) => () => ({ [pick(names)]: [of(one)] });

  const kinds = [
    () => ({ [pick(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp'])]: pair(any) }),
    () => ({ [pick(['$and', '$or'])]: pair(any) }),
    unary(['$not', '$isArray', '$isNumber', '$type'], any),
    () => ({ $cond: [of(any), of(any), of(any)] }),
    () => ({ $ifNull: pair(any) }),
    () => ({ $switch: { branches: [{ case: of(any), then: 1 }], default: of(any) } }),
    () => ({ [pick(['$add', '$subtract', '$multiply', '$divide', '$mod', '$pow'])]: pair(num) }),
    unary(['$abs', '$ceil', '$floor', '$sqrt', '$exp', '$round', '$trunc'], num),
    () => ({ [pick(['$round', '$trunc'])]: [of(num), pick([0, 1, -1])] }),
    () => ({ [pick(['$sum', '$avg', '$min', '$max'])]: pick([of(array), pair(any)]) }),
    () => ({ $add: [of(moment), 1000] }),
    () => ({ $subtract: pair(moment) }),
    () => ({ $arrayElemAt: [of(array), below(4) - 2] }),
    unary(['$first', '$last', '$reverseArray'], array),
    () => ({ [pick(['$firstN', '$lastN', '$maxN', '$minN'])]: { n: 2, input: { $ifNull: [of(array), []] } } }),
    () => {
      const name = pick(['$concatArrays', '$setIntersection', '$setDifference']);
      const made = { [name]: pair(array) };
      return name === '$setIntersection' ? { $sortArray: { input: made, sortBy: 1 } } : made;
    },
    // The order of a union or an intersection is not guaranteed.
    () => ({ $sortArray: { input: { $setUnion: pair(array) }, sortBy: 1 } }),
    () => ({ $filter: { input: of(array), cond: { $gte: ['$$this', of(scalar)] } } }),
    () => ({ $map: { input: of(array), as: 'e', in: { $ifNull: ['$$e', 'none'] } } }),
    () => ({ $reduce: { input: '$nums', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }),
    () => ({ $in: [of(any), { $ifNull: [of(array), []] }] }),
    () => ({ $indexOfArray: [of(array), of(scalar)] }),
    () => ({ $slice: [of(array), below(5) - 2 || 1] }),
    () => ({ $sortArray: { input: of(array), sortBy: pick([1, -1]) } }),
    () => ({ $objectToArray: pick(['$sub', '$nothing']) }),
    () => ({ $mergeObjects: ['$sub', { z: of(any) }] }),
    () => ({ $getField: { field: 'a', input: pick(['$sub', '$nothing']) } }),
    () => ({ $setField: { field: 'z', input: '$sub', value: of(any) } }),
    () => ({ $concat: pair(text) }),
    unary(['$toUpper', '$toLower'], text),
    () => ({ $strLenCP: { $ifNull: [of(text), ''] } }),
    () => ({ $substrCP: [of(text), below(2), 1 + below(3)] }),
    () => ({ $split: [of(text), pick(['a', 'o'])] }),
    () => ({ $trim: { input: of(text), chars: 'az' } }),
    () => ({ $indexOfCP: [of(text), 'o'] }),
    () => ({ $replaceAll: { input: of(text), find: 'o', replacement: '0' } }),
    () => ({ $regexMatch: { input: of(text), regex: pick(['^a', 'E$']), options: pick(['', 'i']) } }),
    () => ({ $regexFind: { input: of(text), regex: '([ae])(x)?' } }),
    () => ({ $strcasecmp: pair(text) }),
    () => ({
      [pick(['$toBool', '$toDouble', '$toLong', '$toInt', '$toString'])]: pick(['$n', '$sub.a', '$nothing', '$on']),
    }),
    () => ({
      $convert: { input: of(any), to: pick(['int', 'long', 'double', 'bool']), onError: 'bad', onNull: 'none' },
    }),
    unary(
      [
        '$year',
        '$month',
        '$dayOfMonth',
        '$dayOfWeek',
        '$dayOfYear',
        '$hour',
        '$week',
        '$isoWeek',
        '$isoWeekYear',
        '$isoDayOfWeek',
      ],
      moment,
    ),
    () => ({ [pick(['$dateAdd', '$dateSubtract'])]: { startDate: of(moment), unit: pick(units), amount: below(20) } }),
    () => ({ $dateDiff: { startDate: of(moment), endDate: of(moment), unit: pick(units) } }),
    () => ({ $dateTrunc: { date: of(moment), unit: pick(units), ...(chance(0.3) && { timezone: '+02:00' }) } }),
    () => ({
      $dateToString: {
        date: of(moment),
        format: '%Y-%m-%d %H:%M:%S.%L %j %u %V %G',
        timezone: pick(['UTC', '+05:30', 'Europe/Berlin']),
      },
    }),
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
      () => ({ [pick(['$firstN', '$lastN', '$maxN', '$minN'])]: { n: 2, input: '$n' } }),
      () => ({
        [pick(['$top', '$bottom'])]: { sortBy: { n: pick([1, -1]), _id: 1 }, output: pick(['$_id', ['$_id', '$n']]) },
      }),
      () => ({ [pick(['$topN', '$bottomN'])]: { n: 2, sortBy: { _id: -1 }, output: '$n' } }),
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
      () => [{ $bucket: { groupBy: '$n', boundaries: [0, 1, 2, 3], default: 'other', output: { r: accumulator() } } }],
      () => [
        {
          $unwind: {
            path: pick(['$tags', '$nums', '$kids', '$n']),
            preserveNullAndEmptyArrays: chance(0.5),
            includeArrayIndex: 'i',
          },
        },
      ],
      () => [{ $redact: { $cond: [{ $gte: ['$a', 2] }, '$$PRUNE', '$$DESCEND'] } }],
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
      () => [
        { $limit: 3 },
        {
          $unionWith: {
            coll: collection,
            pipeline: [{ $sort: { _id: -1 } }, { $limit: 2 }, { $project: { r: expression() } }],
          },
        },
      ],
    ])();
}
