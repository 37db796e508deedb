import { isUtf8 } from 'node:buffer';
import { length } from 'class-validator';
import { type ExportedMemory } from '../../memory/index.js';
import { USER_ID } from '../../auth/index.js';
import { AVATAR_ID, CHAT_TYPES, DEFAULT_PROJECT, LANGUAGE_CODE, PROJECT_ID } from 'avatar-chat-catalogue';
import { MAX_REQUEST, MAX_MEMORY } from 'avatar-chat-models';
import { contentId, type ImportedMessage, MAX_ANSWER, MESSAGE_ID, RATINGS } from '../../messages/index.js';
import type { Line } from 'avatar-chat-runtime';

const MAX_NAME = 200;
const MAX_URL = 2_000;
const DAY_MS = 86_400_000;
const BYTE_ORDER_MARK = '\uFEFF';

/** The fields of a line and their formats. */
const RULES: Record<keyof ImportedMessage, readonly [rule: string, holds: (value: unknown, now: number) => boolean]> = {
  _id: ['must be 1 to 128 letters, digits, hyphens and underscores', matches(MESSAGE_ID)],
  project_id: ['must be 1 to 64 letters, digits and hyphens', matches(PROJECT_ID)],
  user_id: ['must be 1 to 128 letters, digits, hyphens and underscores', matches(USER_ID)],
  direction: ['must be incoming or outgoing', (value) => value === 'incoming' || value === 'outgoing'],
  request: [`must be a text of at most ${MAX_REQUEST} characters`, isText(0, MAX_REQUEST)],
  answer: [`must be a text of at most ${MAX_ANSWER} characters`, isText(0, MAX_ANSWER)],
  avatar_id: ['must be 1 to 128 letters, digits, hyphens and underscores', matches(AVATAR_ID)],
  avatar_name: [`must be a text of 1 to ${MAX_NAME} characters`, isText(1, MAX_NAME)],
  date: ['must be a whole number of milliseconds from 0 to one day from now', isDate],
  chat_type: [`must be one of ${CHAT_TYPES.join(', ')}`, (value) => CHAT_TYPES.some((type) => type === value)],
  language_code: ['must be a language code such as en or pt-BR', matches(LANGUAGE_CODE)],
  rating: [`must be one of ${RATINGS.join(', ')}`, (value) => RATINGS.some((rating) => rating === value)],
  fileUrl: [`must be a full http or https URL of at most ${MAX_URL} characters`, isUrl],
};

const ALWAYS = ['user_id', 'direction', 'request', 'avatar_id', 'date', 'chat_type', 'language_code'] as const;
const INCOMING_ONLY = ['answer', 'avatar_name'] as const;
const OPTIONAL = ['_id', 'project_id', 'fileUrl'] as const;
const OPTIONAL_INCOMING = [...OPTIONAL, 'rating'] as const;

/** The fields of a memory, all of them required. */
const MEMORY_RULES: Record<keyof ExportedMemory, (value: unknown, now: number) => boolean> = {
  memory_id: matches(/^[0-9a-f]{24}$/),
  project_id: matches(PROJECT_ID),
  user_id: matches(USER_ID),
  text: isText(1, MAX_MEMORY),
  created: isDate,
};

/** A message or a memory, or the reasons why a line is invalid. They never quote its content. */
export type Reading = { message: ImportedMessage } | { memory: ExportedMemory } | { faults: string[] };

/**
 * Parses a line of an import file.
 *
 * @param projects existing projects
 * @param now Unix time in milliseconds
 * @returns undefined for a blank line
 */
export function readMessage({ number, bytes }: Line, projects: ReadonlySet<string>, now: number): Reading | undefined {
  if (bytes === 'too long') return { faults: ['is too long'] };
  if (!isUtf8(bytes)) return { faults: ['is not UTF-8'] };
  let text = bytes.toString('utf8');
  if (number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  if (/^[ \t\r]*$/.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: ['is not valid JSON'] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { faults: ['is not a JSON object'] };
  const line = value as Record<string, unknown>;
  return Object.hasOwn(line, 'memory') ? readMemory(line.memory, projects, now) : readFields(line, projects, now);
}

function readMemory(value: unknown, projects: ReadonlySet<string>, now: number): Reading {
  const memory = Object(value) as Record<string, unknown>;
  const names = Object.keys(MEMORY_RULES) as (keyof ExportedMemory)[];
  const faults = names.flatMap((name) => (MEMORY_RULES[name](memory[name], now) ? [] : `memory.${name} is not valid`));
  if (faults.length === 0 && !projects.has(String(memory.project_id))) faults.push('project_id names no project');
  if (faults.length > 0) return { faults };
  return { memory: Object.fromEntries(names.map((name) => [name, memory[name]])) as unknown as ExportedMemory };
}

function readFields(line: Record<string, unknown>, projects: ReadonlySet<string>, now: number): Reading {
  const incoming = line.direction === 'incoming';
  const given = (incoming ? OPTIONAL_INCOMING : OPTIONAL).filter((field) => Object.hasOwn(line, field));
  const fields = [...given, ...ALWAYS, ...(incoming ? INCOMING_ONLY : [])];
  const faults = fields.flatMap((field) => {
    const [rule, holds] = RULES[field];
    if (!Object.hasOwn(line, field)) return `${field} is missing`;
    return holds(line[field], now) ? [] : `${field} ${rule}`;
  });
  const project_id = given.includes('project_id') ? line.project_id : DEFAULT_PROJECT;
  if (faults.length === 0 && !projects.has(project_id as string)) faults.push('project_id names no project');
  if (faults.length > 0) return { faults };
  const message = Object.fromEntries(fields.map((field) => [field, line[field]])) as unknown as ImportedMessage;
  message.project_id = project_id as string;
  // Negative zero would be stored as such, but read back as zero.
  message.date += 0;
  message._id ??= contentId(message);
  return { message };
}

function matches(pattern: RegExp) {
  return (value: unknown): boolean => typeof value === 'string' && pattern.test(value);
}

/** Counts characters as `POST /chat` does. Lone surrogates are rejected: no database could return them. */
function isText(min: number, max: number) {
  return (value: unknown): boolean => length(value, min, max) && !/\p{Surrogate}/u.test(value as string);
}

function isDate(value: unknown, now: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= now + DAY_MS;
}

function isUrl(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= MAX_URL &&
    /^https?:\/\/[^\s\p{C}]+$/iu.test(value) &&
    URL.canParse(value)
  );
}
