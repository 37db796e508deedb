import type { TokenUsage } from './avatar-engine.js';

const BYTES_PER_TOKEN = 4;
/** Above this, a server's number of tokens is not believed. */
const MAX_TOKENS = 10_000_000;

/** Reads what a request took from the chunks of its answer; estimates it if the server does not say. */
export class UsageReader {
  private reported?: Pick<TokenUsage, 'prompt_tokens' | 'completion_tokens'>;
  private bytes = 0;

  /** @param prompt all that was sent */
  constructor(private readonly prompt: string) {}

  /** @param chunk of a stream, or the whole answer; untrusted */
  read(chunk: unknown): void {
    const { usage, choices } = (chunk ?? {}) as Record<string, unknown>;
    const { prompt_tokens, completion_tokens } = (usage ?? {}) as Record<string, unknown>;
    if (isCount(prompt_tokens) && isCount(completion_tokens)) this.reported = { prompt_tokens, completion_tokens };
    if (this.reported) return;
    for (const choice of Array.isArray(choices) ? choices : []) {
      const { delta, message } = (choice ?? {}) as Record<string, unknown>;
      this.bytes += textBytes(delta ?? message);
    }
  }

  get result(): TokenUsage {
    if (this.reported) return { ...this.reported, estimated: false };
    const tokens = (bytes: number) => Math.ceil(bytes / BYTES_PER_TOKEN);
    const prompt_tokens = tokens(Buffer.byteLength(this.prompt));
    return { prompt_tokens, completion_tokens: tokens(this.bytes), estimated: true };
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}

/** The bytes of a message's texts, calls of tools and reasoning included. */
function textBytes(value: unknown): number {
  const { content, reasoning_content, reasoning, tool_calls } = (value ?? {}) as Record<string, unknown>;
  const calls = (Array.isArray(tool_calls) ? tool_calls : []) as { function?: { arguments?: unknown } }[];
  const texts = [content, reasoning_content, reasoning, ...calls.map((call) => call?.function?.arguments)];
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
}
