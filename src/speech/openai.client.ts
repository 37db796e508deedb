import type { OpenAI } from 'openai';
import { type OpenAiServer, readSecret } from '../config/index.js';
import { SpeechError } from './speech.error.js';

/** Bytes of the largest answer that is read. */
const ANSWER_LIMIT = 10 * 1024 * 1024;
/** What one attempt may take, in milliseconds. */
const TIME_LIMIT = 30_000;

/**
 * Asks a server that speaks the OpenAI API, once more where it is busy or broken, and gives up when `signal` does.
 *
 * @throws SpeechError whatever goes wrong, with nothing of what the server said
 */
export async function askOpenAi<T>(
  { base_url, api_key_env }: OpenAiServer,
  signal: AbortSignal,
  ask: (client: OpenAI) => Promise<T>,
): Promise<T> {
  const apiKey = api_key_env === undefined ? 'none' : readSecret(api_key_env);
  if (apiKey === undefined) throw new SpeechError('The key of the speech provider is not set.');
  // Not at the top: it takes 200 ms, and most services never need it.
  const { default: OpenAI } = await import('openai');
  const client = new OpenAI({
    baseURL: base_url,
    apiKey,
    // Left out, these would come from the environment.
    organization: null,
    project: null,
    logLevel: 'off',
    timeout: TIME_LIMIT,
    maxRetries: 1,
    fetch: limitedFetch,
  });
  try {
    // The client's own pause before it asks again does not end with the signal.
    return await Promise.race([ask(client), rejected(signal)]);
  } catch {
    throw new SpeechError('The speech provider did not answer as it should.');
  }
}

/** Follows no redirects, which would take the recording elsewhere, and reads no more than the limit. */
async function limitedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      length += piece.byteLength;
      if (length > ANSWER_LIMIT) controller.error(new SpeechError());
      else controller.enqueue(piece);
    },
  });
  return new Response(response.body?.pipeThrough(limit) ?? null, response);
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(new SpeechError());
    signal.addEventListener('abort', () => reject(new SpeechError()), { once: true });
  });
}
