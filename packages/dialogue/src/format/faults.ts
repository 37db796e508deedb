import { FollowUp, Intent, LanguageWords, ScriptError, ScriptFile } from './script-file.js';

const MOST_LINES = 2_000;
const MOST_EXAMPLES = 60;
const MOST_PATTERNS = 200;
const MOST_ANSWERS = 100;
const MOST_CHARACTERS = 2_000;
const MOST_WORDS = 5_000;
const MOST_DEPTH = 4;
const ID = /^[a-z][a-z0-9_]{0,39}$/;
const INTENT_KEYS = ['id', 'say', 'match', 'unless', 'answer', 'then', 'aside', 'handover', 'off', 'priority'];
const FOLLOW_UP_KEYS = ['say', 'match', 'answer', 'again', 'then'];
const WORD_LISTS = ['stops', 'common', 'filler', 'persons', 'questions', 'denials', 'asking', 'known'];
const COMMENT = '//';
const SLOT = /\{([^{}]*)\}/g;

/**
 * Reads the lines of a file. What its patterns and answers need is checked when it is compiled.
 *
 * @param mayRepeat whether an id may stand in several lines
 * @throws ScriptError with every fault in the shape of its lines
 */
export function parseScript(text: string, mayRepeat = false): ScriptFile {
  const faults: string[] = [];
  const intents: Intent[] = [];
  const ids = new Set<string>();
  let words: LanguageWords | undefined;
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.length > MOST_LINES) throw new ScriptError([`has more than ${MOST_LINES} lines`]);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || line.trimStart().startsWith(COMMENT)) continue;
    const before = faults.length;
    const tell = (fault: string) => faults.push(`line ${index + 1}: ${fault}`);
    const content = jsonOf(line);
    if (!isObject(content)) tell('is not a JSON object on one line');
    else if (content.words !== undefined) {
      if (words) tell('words: stands twice');
      checkKeys(content, ['words'], '', tell);
      checkWords(content.words, tell);
      words = content.words as LanguageWords;
    } else {
      checkIntent(content, tell);
      if (!mayRepeat && ids.has(String(content.id))) tell(`id: ${content.id} is used twice`);
      ids.add(String(content.id));
      if (faults.length === before) intents.push(content as unknown as Intent);
    }
  }
  if (faults.length > 0) throw new ScriptError(faults);
  return { intents, words };
}

type Tell = (fault: string) => void;

function checkIntent(line: Record<string, unknown>, tell: Tell): void {
  checkKeys(line, INTENT_KEYS, '', tell);
  if (typeof line.id !== 'string' || !ID.test(line.id)) tell('id: must be a short lower-case name');
  checkTexts(line, 'say', MOST_EXAMPLES, '', tell);
  for (const key of ['match', 'unless']) checkTexts(line, key, MOST_PATTERNS, '', tell);
  checkTexts(line, 'answer', MOST_ANSWERS, '', tell);
  for (const key of ['aside', 'handover', 'off'])
    if (![undefined, true].includes(line[key] as true)) tell(`${key}: must be true`);
  const { priority = 0 } = line;
  if (typeof priority !== 'number' || !(Math.abs(priority) <= 100)) tell('priority: must be a number from -100 to 100');
  if (INTENT_KEYS.slice(1).every((key) => line[key] === undefined)) tell('needs an answer, or examples, or patterns');
  checkFollowUps(line.then, 'then', 1, tell);
}

function checkFollowUps(value: unknown, place: string, depth: number, tell: Tell): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || depth > MOST_DEPTH)
    return tell(`${place}: must be an array, at most ${MOST_DEPTH} deep`);
  for (const [index, one] of (value as unknown[]).entries()) {
    const at = `${place}[${index}]`;
    if (!isObject(one)) {
      tell(`${at}: must be an object`);
      continue;
    }
    checkKeys(one, FOLLOW_UP_KEYS, `${at}.`, tell);
    checkTexts(one, 'say', MOST_EXAMPLES, `${at}.`, tell);
    checkTexts(one, 'match', MOST_PATTERNS, `${at}.`, tell);
    checkTexts(one, 'answer', MOST_ANSWERS, `${at}.`, tell);
    if (one.again === undefined ? one.answer === undefined : one.again !== true || one.answer !== undefined)
      tell(`${at}: needs either an answer or "again": true`);
    checkFollowUps(one.then, `${at}.then`, depth + 1, tell);
  }
}

function checkWords(value: unknown, tell: Tell): void {
  if (!isObject(value)) return tell('words: must be an object');
  checkKeys(value, ['read', ...WORD_LISTS], 'words.', tell);
  for (const key of WORD_LISTS) checkTexts(value, key, MOST_WORDS, 'words.', tell);
  const { read = {} } = value;
  if (!isObject(read) || !Object.values(read).every((text) => typeof text === 'string' && text.trim()))
    tell('words.read: must give a text for each spelling');
}

function checkKeys(value: Record<string, unknown>, known: readonly string[], place: string, tell: Tell): void {
  for (const key of Object.keys(value)) if (!known.includes(key)) tell(`${place}${key}: is not known here`);
}

function checkTexts(value: Record<string, unknown>, key: string, most: number, place: string, tell: Tell): void {
  const texts = value[key];
  if (texts === undefined) return;
  const isGood = (text: unknown) => typeof text === 'string' && text.trim() !== '' && text.length <= MOST_CHARACTERS;
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > most || !texts.every(isGood))
    tell(`${place}${key}: must be an array of 1 to ${most} texts of up to ${MOST_CHARACTERS} characters`);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The slots that an answer names, in lower case. */
export function slotsOf(answer: string): string[] {
  return [...answer.matchAll(SLOT)].map(([, name]) => name!.toLowerCase());
}

/** Slots that are known in every turn. */
const ALWAYS_KNOWN: ReadonlySet<string> = new Set([
  'avatar',
  'time',
  'date',
  'weekday',
  'year',
  'zone',
  'topics',
  'text',
]);

/** Whether none of some answers can be given unless a slot is known that may not be. */
export function needsSlots({ answer }: Pick<Intent | FollowUp, 'answer'>, own: ReadonlySet<string>): boolean {
  return (
    answer !== undefined &&
    answer.every((text) => slotsOf(text).some((slot) => !ALWAYS_KNOWN.has(slot) && !own.has(slot)))
  );
}
