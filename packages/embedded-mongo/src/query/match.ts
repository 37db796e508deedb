import { Doc, isDocument, isNumber, toNumber } from '../values/bson.js';
import { evaluationContext, expression } from '../expressions/expressions.js';
import { unsupported } from '../wire/options.js';
import { some } from '../values/paths.js';
import { isTrue } from '../values/values.js';
import { Test, bad, equalTo, isOperators, isRegex, leafOperator, regexTest } from './predicates.js';

/**
 * Compiles a filter. `variables` are the command's `let`, for `$expr`.
 * @throws CommandError for an operator that does not exist or has a wrong argument.
 */
export function matcher(filter: Doc, variables: Doc = {}): Test {
  return every(
    Object.entries(filter).map(([key, value]) =>
      key.startsWith('$') ? logical(key, value, variables) : field(key, value),
    ),
  );
}

/** Other top-level operators of MongoDB, which are not supported. */
const UNSUPPORTED = new Set(['$where', '$text', '$jsonSchema', '$sampleRate', '$alwaysTrue', '$alwaysFalse']);

const every = (tests: Test[]): Test => (tests.length === 1 ? tests[0]! : (doc) => tests.every((test) => test(doc)));

function logical(name: string, value: unknown, variables: Doc): Test {
  switch (name) {
    case '$comment':
      return () => true;
    case '$expr': {
      const holds = expression(value, Object.keys(variables));
      return (doc) => isTrue(holds(evaluationContext(doc, variables)));
    }
    case '$and':
    case '$or':
    case '$nor': {
      if (!Array.isArray(value) || !value.length) throw bad(`${name} argument must be a non-empty array`);
      if (!value.every(isDocument)) throw bad('$or/$and/$nor entries need to be full objects');
      const tests = value.map((item) => matcher(item as Doc, variables));
      if (name === '$and') return every(tests);
      return (doc) => tests.some((test) => test(doc)) === (name === '$or');
    }
  }
  if (UNSUPPORTED.has(name)) throw unsupported(`${name} is`, 'BadValue');
  throw bad(
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

function field(path: string, value: unknown): Test {
  const parts = path.split('.');
  if (!isOperators(value)) {
    const test = leaf(isRegex(value) ? regexTest(value) : equalTo(value));
    return (doc) => some(doc, parts, test);
  }
  return every(Object.entries(value).map(([name, argument]) => operator(parts, name, argument, value)));
}

const leaf =
  (test: Test): Test =>
  (value) =>
    test(value) || (Array.isArray(value) && value.some(test));

function operator(parts: string[], name: string, argument: any, siblings: Doc): Test {
  const on =
    (test: Test): Test =>
    (doc) =>
      some(doc, parts, test);
  const not =
    (test: Test): Test =>
    (doc) =>
      !test(doc);
  switch (name) {
    case '$ne':
      if (isRegex(argument)) throw bad("Can't have regex as arg to $ne.");
      return not(on(leaf(equalTo(argument))));
    case '$nin':
      return not(on(leaf(leafOperator('$in', argument, siblings))));
    case '$not':
      if (isRegex(argument)) return not(on(leaf(regexTest(argument))));
      if (!isOperators(argument)) throw bad('$not needs a regex or a document');
      return not(field(parts.join('.'), argument));
    case '$exists':
      return exists(parts, argument);
    case '$size': {
      const size = toNumber(argument);
      if (!Number.isInteger(size)) throw bad(`Failed to parse $size. Expected a number in: $size`);
      if (size < 0) throw bad('Failed to parse $size. Expected a non-negative number in: $size');
      return on((value) => Array.isArray(value) && value.length === size);
    }
    case '$all': {
      if (!Array.isArray(argument)) throw bad('$all needs an array');
      if (!argument.length) return () => false;
      const elements = argument.filter((item) => isOperators(item) && '$elemMatch' in item);
      if (elements.length && elements.length < argument.length) throw bad('$all/$elemMatch has to be consistent');
      if (!elements.length && argument.some(isOperators)) throw bad('no $ expressions in $all');
      return every(argument.map((item) => field(parts.join('.'), item)));
    }
    case '$elemMatch': {
      const test = elementTest(argument);
      return on((value) => Array.isArray(value) && value.some(test));
    }
    default:
      return on(leaf(leafOperator(name, argument, siblings)));
  }
}

const hasExpression = (filter: unknown): boolean =>
  isDocument(filter) &&
  Object.entries(filter).some(
    ([name, value]) => name === '$expr' || (Array.isArray(value) && name.startsWith('$') && value.some(hasExpression)),
  );

const exists = (parts: string[], argument: unknown): Test => {
  const wanted = truthy(argument);
  return (doc) => some(doc, parts, (value) => value !== undefined) === wanted;
};

const truthy = (value: unknown): boolean =>
  isNumber(value) ? toNumber(value) !== 0 : value !== false && value !== null;

/** A test of one array element: by operators or, for documents, by a filter. */
export function elementTest(argument: unknown): Test {
  if (!isDocument(argument)) throw bad('$elemMatch needs an Object');
  if (hasExpression(argument)) throw bad('$expr can only be applied to the top-level document');
  if (isOperators(argument) && !['$and', '$or', '$nor'].includes(Object.keys(argument)[0]!)) {
    const test = field('e', argument);
    return (value) => test({ e: value });
  }
  const test = matcher(argument);
  return (value) => (isDocument(value) || Array.isArray(value)) && test(value);
}
