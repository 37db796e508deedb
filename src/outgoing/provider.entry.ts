import { isSecretName } from './secret-names.js';

/** A model behind any server with the OpenAI API, as entries of the catalogue name it. */
export interface OpenAiServer {
  /** Up to the version: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1`. */
  readonly base_url: string;
  readonly model: string;
  /** The name of the environment variable that holds the key; left out for a server that wants none. */
  readonly api_key_env?: string;
}

/** What a field must be, and how that is said. */
export type FieldRule = readonly [isGood: (value: unknown) => boolean, rule: string];

/** A text that is not blank, of so many characters at most. */
export function textRule(most: number): FieldRule {
  return [
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= most,
    `must be a text of 1 to ${most.toLocaleString('en')} characters`,
  ];
}

export const OPENAI_RULES: Readonly<Record<keyof OpenAiServer, FieldRule>> = {
  base_url: [isBaseUrl, 'must be an http or https URL without name and password, query and fragment'],
  model: textRule(200),
  api_key_env: [
    isSecretName,
    "must be the name of an environment variable, and not of one of this service's own secrets",
  ],
};

/** The faults of an entry, each starting with the name of its field. A field that is not `optional` must be there. */
export function entryFaults(
  entry: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, FieldRule>>,
  optional: readonly string[],
): string[] {
  const unknown = Object.keys(entry).filter((field) => field !== 'kind' && !Object.hasOwn(rules, field));
  const bad = Object.entries(rules).filter(
    ([field, [isGood]]) => !(optional.includes(field) && entry[field] === undefined) && !isGood(entry[field]),
  );
  return [
    ...unknown.map((field) => `${field}: is not known here`),
    ...bad.map(([field, [, rule]]) => `${field}: ${rule}`),
  ];
}

function isBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && !username && !password && !search && !hash;
}
