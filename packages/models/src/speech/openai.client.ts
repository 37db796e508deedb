import { SpeechError } from 'avatar-chat-media';
import { MissingKeyError } from '../openai.errors.js';
import type { OpenAiServer } from '../openai.server.js';
import type { OpenAiCall, OpenAiServers } from '../openai.servers.js';

/** The timeout is that of the response headers of each attempt; the call's signal bounds the rest. */
const LIMITS = { maxRetries: 1, maxBytes: 10 * 1024 * 1024, timeoutMs: 30_000 };

/**
 * Calls a server within the limits for speech.
 *
 * @throws SpeechError on any failure, without quoting the server
 */
export async function askOpenAi<T>(
  servers: OpenAiServers,
  server: OpenAiServer,
  signal: AbortSignal,
  ask: OpenAiCall<T>,
): Promise<T> {
  try {
    return await servers.call(server, { ...LIMITS, signal }, ask);
  } catch (error) {
    if (error instanceof MissingKeyError) throw new SpeechError('The key of the speech provider is not set.');
    throw new SpeechError('The speech provider did not answer as it should.');
  }
}
