import { type Api, settled } from '../core/api.js';
import type { Message } from '../core/types.js';

/** Longer histories are exported. */
const MAX_SHOWN = 300;
const TIMEOUT_MS = 60_000;

/** The newest messages of a user, oldest first. */
export async function loadHistory(
  api: Api,
  project_id: string,
  user_id: string,
  signal: AbortSignal,
): Promise<{ messages: Message[]; isCut: boolean }> {
  const { body } = await api.open('messages', { query: { project_id, user_id }, signal, timeout: TIMEOUT_MS });
  const messages: Message[] = [];
  let isCut = false;
  for await (const line of linesOf(body!)) {
    const value = JSON.parse(line) as Message | { memory: object };
    // An export ends with what is remembered of the user.
    if ('memory' in value) continue;
    messages.push(value);
    if (messages.length > MAX_SHOWN) {
      messages.shift();
      isCut = true;
    }
  }
  return { messages, isCut };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await settled(reader.read());
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter(Boolean);
    }
    if (rest) yield rest;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
