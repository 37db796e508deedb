const MOST_RULES = 500;
const MOST_TEXTS = 200;
const MOST_CHARACTERS = 2_000;
const MOST_DEPTH = 5;
const SLOT = /\{([^{}]*)\}/g;

/** The faults in the shape of a parsed {@link ScriptFile}, each with its place; `[]` when it is one. */
export function scriptFaults(file: unknown): string[] {
  const faults: string[] = [];
  const ids = new Set<unknown>();
  if (!hasKeys(file, 'file', ['rules', 'fallback', 'phrases'], faults)) return faults;
  texts(file.fallback, 'fallback', faults);
  answersWithoutSlots(file.fallback, [], 'fallback', faults);
  if (file.phrases !== undefined) sets(file.phrases, 'phrases', faults);
  if (!Array.isArray(file.rules) || file.rules.length === 0 || file.rules.length > MOST_RULES) {
    return [...faults, `rules: must be an array of 1 to ${MOST_RULES} rules`];
  }
  file.rules.forEach((rule: unknown, index) => {
    const place = `rules[${index}]`;
    if (!hasKeys(rule, place, ['id', 'match', 'priority', 'answers', 'then'], faults)) return;
    if (typeof rule.id !== 'string' || !/^[a-z][a-z0-9_]{0,39}$/.test(rule.id))
      faults.push(`${place}.id: must be a short lower-case name`);
    if (ids.has(rule.id)) faults.push(`${place}.id: is used twice`);
    ids.add(rule.id);
    const { priority = 0 } = rule;
    if (typeof priority !== 'number' || !(Math.abs(priority) <= 100))
      faults.push(`${place}.priority: must be a number from -100 to 100`);
    if (rule.match !== undefined) texts(rule.match, `${place}.match`, faults);
    texts(rule.answers, `${place}.answers`, faults);
    followUps(rule.then, `${place}.then`, 1, faults);
  });
  return faults;
}

/** As {@link scriptFaults}, for a parsed {@link PhraseFile}. */
export function phraseFaults(file: unknown): string[] {
  const faults: string[] = [];
  if (!hasKeys(file, 'file', ['rewrite', 'stops', 'sets'], faults)) return faults;
  if (file.stops !== undefined) texts(file.stops, 'stops', faults);
  const { rewrite = {} } = file;
  if (!isObject(rewrite) || !Object.values(rewrite).every((text) => typeof text === 'string' && text.trim())) {
    faults.push('rewrite: must give a text for each spelling');
  }
  sets(file.sets, 'sets', faults);
  return faults;
}

function followUps(rules: unknown, place: string, depth: number, faults: string[]): void {
  if (rules === undefined) return;
  if (!Array.isArray(rules) || depth > MOST_DEPTH)
    return void faults.push(`${place}: must be an array, at most ${MOST_DEPTH} deep`);
  rules.forEach((rule: unknown, index) => {
    const at = `${place}[${index}]`;
    if (!hasKeys(rule, at, ['match', 'answers', 'again', 'then'], faults)) return;
    if (rule.match !== undefined) texts(rule.match, `${at}.match`, faults);
    if (rule.again === undefined) texts(rule.answers, `${at}.answers`, faults);
    else if (rule.again !== true || rule.answers !== undefined || rule.then !== undefined)
      faults.push(`${at}.again: must be true and stand without answers and then`);
    followUps(rule.then, `${at}.then`, depth + 1, faults);
  });
}

/** A rule must have something to say even if no slot is known but those of its own phrases. */
export function answersWithoutSlots(answers: unknown, known: readonly string[], place: string, faults: string[]): void {
  if (!Array.isArray(answers) || !answers.every((answer) => typeof answer === 'string')) return;
  const needs = answers.map((answer) => slotsOf(answer).filter((slot) => slot !== 'avatar' && !known.includes(slot)));
  if (needs.every((slots) => slots.length > 0))
    faults.push(`${place}: needs an answer without slots that may be unknown`);
}

/** The slots that an answer names, in lower case. */
export function slotsOf(answer: string): string[] {
  return [...answer.matchAll(SLOT)].map(([, name]) => name!.toLowerCase());
}

function sets(value: unknown, place: string, faults: string[]): void {
  if (!isObject(value)) return void faults.push(`${place}: must be an object of sets of phrases`);
  for (const [name, phrases] of Object.entries(value)) texts(phrases, `${place}.${name}`, faults);
}

function texts(value: unknown, place: string, faults: string[]): void {
  const good = (text: unknown) => typeof text === 'string' && text.trim() !== '' && text.length <= MOST_CHARACTERS;
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_TEXTS || !value.every(good)) {
    faults.push(`${place}: must be an array of 1 to ${MOST_TEXTS} texts of up to ${MOST_CHARACTERS} characters`);
  }
}

function hasKeys(
  value: unknown,
  place: string,
  keys: readonly string[],
  faults: string[],
): value is Record<string, unknown> {
  if (!isObject(value)) {
    faults.push(`${place}: must be an object`);
    return false;
  }
  for (const key of Object.keys(value)) if (!keys.includes(key)) faults.push(`${place}.${key}: is not known here`);
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
