import { hasKeys, isObject, list, texts } from './fields.js';

const MOST_KINDS = 20;
const MOST_QUESTIONS = 200;
const MOST_EXAMPLES = 60;
const MOST_THINGS = 1_000;
const MOST_NAMES = 30;
const ID = /^[a-z][a-z0-9_]{0,39}$/;
const NAME = '{thing}';

/**
 * The faults of the `questions` and `things` of a file.
 *
 * @param shared questions that are known besides
 */
export function thingFaults(file: Record<string, unknown>, shared: unknown, faults: string[]): void {
  const { questions, things, partOf } = file;
  if (questions !== undefined) questionFaults(questions, faults);
  const known = (kind: unknown) =>
    [questions, shared].flatMap((one) => {
      const some = isObject(one) && typeof kind === 'string' ? one[kind] : undefined;
      return isObject(some) ? Object.keys(some) : [];
    });
  if (partOf !== undefined && !isObject(partOf)) faults.push('partOf: must be an object of kinds');
  for (const [part, whole] of Object.entries(isObject(partOf) ? partOf : {}))
    if (known(part).length === 0 || known(whole).length === 0) faults.push(`partOf.${part}: is not among questions`);
  list(things, 'things', MOST_THINGS, faults, (thing, place) => {
    if (!hasKeys(thing, place, ['kind', 'names', 'says'], faults)) return;
    texts(thing.names, `${place}.names`, faults, [1, MOST_NAMES]);
    const ids = known(thing.kind);
    if (ids.length === 0) faults.push(`${place}.kind: is not among questions`);
    else if (hasKeys(thing.says, `${place}.says`, ids, faults)) {
      if (Object.keys(thing.says).length === 0) faults.push(`${place}.says: must have a text`);
      for (const [id, text] of Object.entries(thing.says)) {
        texts([text], `${place}.says.${id}`, faults);
        if (typeof text === 'string' && /[{}]/.test(text)) faults.push(`${place}.says.${id}: must have no slots`);
      }
    }
  });
}

function questionFaults(questions: unknown, faults: string[]): void {
  if (!isObject(questions)) return void faults.push('questions: must be an object of kinds');
  const kinds = Object.entries(questions);
  if (kinds.length > MOST_KINDS) faults.push(`questions: must be of at most ${MOST_KINDS} kinds`);
  let count = 0;
  for (const [kind, some] of kinds) {
    const place = `questions.${kind}`;
    if (!ID.test(kind)) faults.push(`${place}: must be a short lower-case name`);
    if (!isObject(some)) faults.push(`${place}: must be an object of questions`);
    for (const [id, examples] of Object.entries(isObject(some) ? some : {})) {
      const at = `${place}.${id}`;
      count++;
      if (!ID.test(id)) faults.push(`${at}: must be a short lower-case name`);
      texts(examples, at, faults, [1, MOST_EXAMPLES]);
      for (const example of Array.isArray(examples) ? examples : [])
        if (typeof example === 'string' && example.split(NAME).length !== 2)
          faults.push(`${at}: '${example}' must have ${NAME} once`);
    }
  }
  if (count > MOST_QUESTIONS) faults.push(`questions: must be at most ${MOST_QUESTIONS}`);
}
