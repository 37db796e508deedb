import { isSecretName } from '../config/index.js';
import type { SpeechEntry } from './speaker.js';

/** `{"kind":"openai","base_url","model","voice"?,"api_key_env"?}`; only a speaker has a voice. */
export interface OpenAiEntry {
  /** Such as `https://api.openai.com/v1` or `http://127.0.0.1:8000/v1`. */
  readonly base_url: string;
  readonly model: string;
  readonly voice?: string;
  /** The environment variable that holds the key; none where the server needs none. */
  readonly api_key_env?: string;
}

const RULES: Readonly<Record<keyof OpenAiEntry, { test(value: string): boolean; rule: string }>> = {
  base_url: { test: isBaseUrl, rule: 'must be an http or https URL without query, fragment, user or password' },
  model: { test: isName, rule: 'must be a text of 1 to 200 characters' },
  voice: { test: isName, rule: 'must be a text of 1 to 200 characters' },
  api_key_env: {
    test: isSecretName,
    rule: 'must be the name of an environment variable that is not one of this service’s own secrets',
  },
};

/** The faults of an entry, each starting with the name of its field. */
export function openAiFaults(entry: SpeechEntry, fields: readonly (keyof OpenAiEntry)[]): string[] {
  const unknown = Object.keys(entry).filter(
    (field) => field !== 'kind' && !fields.includes(field as keyof OpenAiEntry),
  );
  const wrong = fields.filter((field) => {
    const value = entry[field];
    if (value === undefined) return field === 'base_url' || field === 'model';
    return typeof value !== 'string' || !RULES[field].test(value);
  });
  return [
    ...unknown.map((field) => `${field}: is not known here`),
    ...wrong.map((field) => `${field}: ${RULES[field].rule}`),
  ];
}

function isName(value: string): boolean {
  return value.trim() !== '' && value.length <= 200;
}

function isBaseUrl(value: string): boolean {
  if (value.length > 2000 || !URL.canParse(value)) return false;
  const { protocol, search, hash, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && !search && !hash && !username && !password;
}
