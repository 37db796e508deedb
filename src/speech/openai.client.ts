import type { OpenAI } from 'openai';
import { MissingKeyError, type OpenAiServer, type OpenAiServers } from '../outgoing/index.js';
import { SpeechError } from './speech.error.js';

/** Of an answer, and of one attempt to get it. */
const LIMITS = { maxRetries: 1, maxBytes: 10 * 1024 * 1024, timeoutMs: 30_000 };

/**
 * Asks a server that speaks the OpenAI API, once more where it is busy or broken, and gives up when `signal` does.
 *
 * @throws SpeechError whatever goes wrong, with nothing of what the server said
 */
export async function askOpenAi<T>(
  servers: OpenAiServers,
  server: OpenAiServer,
  signal: AbortSignal,
  ask: (client: OpenAI) => Promise<T>,
): Promise<T> {
  try {
    const client = await servers.clientFor(server, LIMITS);
    // The client's own pause before it asks again does not end with the signal.
    return await Promise.race([ask(client), rejected(signal)]);
  } catch (error) {
    if (error instanceof MissingKeyError) throw new SpeechError('The key of the speech provider is not set.');
    throw new SpeechError('The speech provider did not answer as it should.');
  }
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(new SpeechError());
    signal.addEventListener('abort', () => reject(new SpeechError()), { once: true });
  });
}
