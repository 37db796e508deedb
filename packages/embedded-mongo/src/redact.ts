import { Doc, isDocument } from './bson.js';
import { CommandError } from './errors.js';
import { expression } from './expressions.js';
import type { Maker } from './flow.js';
import type { EvaluationContext } from './operators/operator.js';
import { LATER } from './slice.js';

const DESCEND = Symbol('descend');
const PRUNE = Symbol('prune');
const KEEP = Symbol('keep');
const answers = { DESCEND, PRUNE, KEEP };

/** Keeps, prunes or descends into each document and its subdocuments. */
export const redact: Maker = (argument, { names }) => {
  const decide = expression(argument, [...names, ...Object.keys(answers)]);
  const visit = (doc: Doc, env: EvaluationContext): Doc | undefined => {
    const answer: unknown = decide({ ...env, current: doc });
    if (answer === KEEP) return doc;
    if (answer === PRUNE) return undefined;
    if (answer !== DESCEND) throw new CommandError(17053, '$redact must evaluate to $$DESCEND, $$PRUNE or $$KEEP');
    const fields = Object.entries(doc).map(([name, value]) => [name, inside(value, env)] as const);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  };
  const inside = (value: unknown, env: EvaluationContext): unknown => {
    if (Array.isArray(value)) return value.map((item) => inside(item, env)).filter((item) => item !== undefined);
    return isDocument(value) ? visit(value, env) : value;
  };
  return function* (input, context) {
    const variables = { ...context.variables, ...answers };
    for (const doc of input) {
      const kept = doc === LATER ? LATER : visit(doc, { root: doc, current: doc, variables });
      if (kept) yield kept;
    }
  };
};
