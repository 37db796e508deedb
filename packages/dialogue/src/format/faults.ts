import { hasKeys, isObject, list, MOST_TEXTS, texts } from './fields.js';
import { thingFaults } from './thing-faults.js';

const MOST_RULES = 500;
const MOST_INTENTS = 1_500;
const MOST_FACTS = 2_000;
const MOST_EXAMPLES = 60;
const MOST_QUESTIONS = 500;
const FILE_KEYS = ['rules', 'fallback', 'phrases', 'shared'];
const TALK_KEYS = ['intents', 'facts', 'questions', 'partOf', 'things', 'topics', 'unknown', 'heard', 'acknowledge'];
const WORD_LISTS = ['stops', 'common', 'asking', 'telling'];
const MOST_COMMON = 500;
const MOST_FORMS = 2_000;
const MOST_DEPTH = 5;
const SLOT = /\{([^{}]*)\}/g;

/**
 * The faults in the shape of a parsed {@link ScriptFile}, each with its place; `[]` when it is one.
 *
 * @param shared what all scripts of its language have
 */
export function scriptFaults(file: unknown, shared?: unknown): string[] {
  const faults: string[] = [];
  if (!hasKeys(file, 'file', [...FILE_KEYS, ...TALK_KEYS], faults)) return faults;
  texts(file.fallback, 'fallback', faults);
  answersWithoutSlots(file.fallback, [], 'fallback', faults);
  if (file.phrases !== undefined) sets(file.phrases, 'phrases', faults);
  if (file.shared !== undefined && typeof file.shared !== 'boolean') faults.push('shared: must be true or false');
  if (!Array.isArray(file.rules) || file.rules.length === 0)
    return [...faults, `rules: must be an array of 1 to ${MOST_RULES} rules`];
  talkFaults(file, faults);
  thingFaults(file, isObject(shared) && file.shared !== false ? shared.questions : undefined, faults);
  return faults;
}

/** As {@link scriptFaults}, for a parsed {@link SharedFile}. */
export function sharedFaults(file: unknown): string[] {
  const faults: string[] = [];
  if (!hasKeys(file, 'file', ['rules', 'quiz', 'replies', 'statements', ...TALK_KEYS], faults)) return faults;
  if (file.replies !== undefined) sets(file.replies, 'replies', faults);
  talkFaults(file, faults);
  thingFaults(file, undefined, faults);
  list(file.quiz, 'quiz', MOST_QUESTIONS, faults, (question, place) => {
    if (!hasKeys(question, place, ['question', 'answers'], faults)) return;
    texts([question.question], `${place}.question`, faults);
    texts(question.answers, `${place}.answers`, faults);
  });
  return faults;
}

/** What a script and a file for all scripts have in common. */
function talkFaults(file: Record<string, unknown>, faults: string[]): void {
  const ids = new Set<unknown>();
  const id = (entry: Record<string, unknown>, place: string) => {
    if (typeof entry.id !== 'string' || !/^[a-z][a-z0-9_]{0,39}$/.test(entry.id))
      faults.push(`${place}.id: must be a short lower-case name`);
    if (ids.has(entry.id)) faults.push(`${place}.id: is used twice`);
    ids.add(entry.id);
    texts(entry.answers, `${place}.answers`, faults);
    followUps(entry.then, `${place}.then`, 1, faults);
  };
  const rules = (rule: unknown, place: string) => {
    if (!hasKeys(rule, place, ['id', 'match', 'unless', 'priority', 'answers', 'then'], faults)) return;
    id(rule, place);
    const { priority = 0 } = rule;
    if (typeof priority !== 'number' || !(Math.abs(priority) <= 100))
      faults.push(`${place}.priority: must be a number from -100 to 100`);
    for (const key of ['match', 'unless']) if (rule[key] !== undefined) texts(rule[key], `${place}.${key}`, faults);
  };
  list(file.rules, 'rules', MOST_RULES, faults, rules);
  list(file.acknowledge, 'acknowledge', MOST_RULES, faults, rules);
  for (const key of ['intents', 'statements'])
    list(file[key], key, MOST_INTENTS, faults, (intent, place) => {
      if (!hasKeys(intent, place, ['id', 'examples', 'answers', 'then'], faults)) return;
      id(intent, place);
      texts(intent.examples, `${place}.examples`, faults, [2, MOST_EXAMPLES]);
    });
  list(file.facts, 'facts', MOST_FACTS, faults, (fact, place) => {
    if (!hasKeys(fact, place, ['topics', 'text'], faults)) return;
    texts(fact.topics, `${place}.topics`, faults);
    texts([fact.text], `${place}.text`, faults);
  });
  if (file.topics !== undefined) texts(file.topics, 'topics', faults, [3, MOST_TEXTS]);
  for (const key of ['unknown', 'heard']) {
    if (file[key] === undefined) continue;
    texts(file[key], key, faults);
    answersWithoutSlots(file[key], ['topics'], key, faults);
  }
}

/** As {@link scriptFaults}, for a parsed {@link PhraseFile}. */
export function phraseFaults(file: unknown): string[] {
  const faults: string[] = [];
  if (!hasKeys(file, 'file', ['rewrite', ...WORD_LISTS, 'forms', 'kinds', 'sets'], faults)) return faults;
  for (const key of WORD_LISTS) {
    if (file[key] !== undefined) texts(file[key], key, faults, [1, MOST_COMMON]);
  }
  if (file.forms !== undefined) texts(file.forms, 'forms', faults, [1, MOST_FORMS]);
  const { rewrite = {} } = file;
  if (!isObject(rewrite) || !Object.values(rewrite).every((text) => typeof text === 'string' && text.trim())) {
    faults.push('rewrite: must give a text for each spelling');
  }
  if (file.kinds !== undefined) sets(file.kinds, 'kinds', faults);
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
