import { isSecretName } from '../config/index.js';
import { EngineEntry } from './avatar-engine.js';

/** The engine entry of an avatar that a model answers for. */
export interface OpenAiEntry {
  readonly kind: 'openai';
  /** Any server with the OpenAI API, up to the version: `http://127.0.0.1:11434/v1`. */
  readonly base_url: string;
  readonly model: string;
  /** Who the avatar is; up to 32,000 characters. */
  readonly system_prompt: string;
  /** The name of the environment variable that holds the key; left out for a server that wants none. */
  readonly api_key_env?: string;
  /** For the system prompt, the history and the request together, at about four bytes each; 3,000 if left out. */
  readonly context_tokens?: number;
}

const isText = (value: unknown, most: number) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most;

const CHECKS: Readonly<Record<Exclude<keyof OpenAiEntry, 'kind'>, readonly [(value: unknown) => boolean, string]>> = {
  base_url: [isBaseUrl, 'must be an http or https URL without name and password, query and fragment'],
  model: [(value) => isText(value, 200), 'must be a text of 1 to 200 characters'],
  system_prompt: [(value) => isText(value, 32_000), 'must be a text of 1 to 32,000 characters'],
  api_key_env: [
    isSecretName,
    "must be the name of an environment variable, and not of one of this service's own secrets",
  ],
  context_tokens: [
    (value) => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 1_000_000,
    'must be a whole number from 100 to 1,000,000',
  ],
};
const OPTIONAL: readonly string[] = ['api_key_env', 'context_tokens'];

/** The faults of an entry, each starting with the name of its field; an {@link OpenAiEntry} has none. */
export function openAiFaults(entry: EngineEntry): string[] {
  const unknown = Object.keys(entry).filter((key) => key !== 'kind' && !Object.hasOwn(CHECKS, key));
  const bad = Object.entries(CHECKS).filter(
    ([name, [isGood]]) => !(OPTIONAL.includes(name) && entry[name] === undefined) && !isGood(entry[name]),
  );
  return [...unknown.map((key) => `${key}: is not known here`), ...bad.map(([name, [, rule]]) => `${name}: ${rule}`)];
}

function isBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}
