import type { FieldRule } from 'avatar-chat-catalogue';
import {
  type AnswerPiece,
  type CompleteOptions,
  type EngineEntry,
  type EngineTurn,
  type PromptMessage,
  RETRACT,
} from './avatar-engine.js';
import { ChatEngine, type ChatEngineParts, StreamedText } from './chat.engine.js';
import { StreamedCalls } from './openai.calls.js';
import { OPENAI_RULES, type OpenAiEntry } from './openai.entry.js';
import { reasonOf } from './openai.errors.js';
import type { OpenAiServers } from './openai.servers.js';
import { UsageReader } from './openai.usage.js';
import { ReasoningFilter } from './reasoning.js';
import type { AskedOnce, ModelRequest } from './tools/tool.loop.js';

/** Maximum size of an answer that is not streamed, in bytes. */
const MAX_COMPLETION_BYTES = 1024 * 1024;
/** Room for the envelope of each piece of an answer, and for a model's reasoning before it. */
const LIMITS = { maxRetries: 2, maxBytes: 64 * 1024 * 1024, maxEventBytes: 256 * 1024 };

/** Answers with a model on any server with the OpenAI API: Ollama, vLLM, LM Studio, a hosted one. */
export class OpenAiEngine extends ChatEngine<OpenAiEntry> {
  readonly kind: string = 'openai';
  /** Rules of further fields, each of which may be omitted. */
  protected readonly more: Readonly<Record<string, FieldRule>> = {};

  constructor(
    private readonly servers: OpenAiServers,
    parts: ChatEngineParts,
  ) {
    super(parts);
  }

  validate(entry: EngineEntry): string[] {
    const rules = { ...OPENAI_RULES, ...this.more, tools: this.parts.tools.rule };
    const optional = ['context_tokens', 'knowledge_tokens', 'reasoning', 'images', 'tools', ...Object.keys(this.more)];
    return this.servers.faultsOf(entry, rules, optional);
  }

  override async complete(
    entry: EngineEntry,
    messages: readonly PromptMessage[],
    { signal, meter }: CompleteOptions,
  ): Promise<string> {
    const { model, ...server } = entry as unknown as OpenAiEntry;
    const limits = { maxRetries: 0, maxBytes: MAX_COMPLETION_BYTES, signal };
    const usage = new UsageReader(JSON.stringify(messages));
    const answer = await this.servers.call({ ...server, model }, limits, (client, options) =>
      client.chat.completions.create({ model, messages: [...messages] }, options),
    );
    usage.read(answer);
    meter?.countTokens(usage.result);
    const content: unknown = (answer as typeof answer | null)?.choices?.[0]?.message?.content;
    const filter = new ReasoningFilter();
    const pieces = [...filter.push(typeof content === 'string' ? content : ''), ...filter.end()];
    return pieces.slice(pieces.lastIndexOf(RETRACT) + 1).join('');
  }

  protected async *ask(
    { signal, meter, images }: EngineTurn,
    entry: OpenAiEntry,
    request: ModelRequest,
  ): AsyncGenerator<AnswerPiece, AskedOnce> {
    const shown = entry.images && images ? { messages: withImages(request.messages, images) } : {};
    const stream = await this.servers.call(entry, { ...LIMITS, signal }, (client, options) =>
      client.chat.completions.create(
        { model: entry.model, ...request, ...shown, stream: true, stream_options: { include_usage: true } },
        options,
      ),
    );
    const calls = new StreamedCalls();
    const filter = new ReasoningFilter(entry.reasoning);
    const usage = new UsageReader(JSON.stringify(request.messages));
    const said = new StreamedText();
    let isCut = false;
    try {
      for await (const chunk of stream) {
        usage.read(chunk);
        // Servers send chunks of their own among those of the answer.
        const choice = (chunk as typeof chunk | null)?.choices?.[0];
        const { content, tool_calls } = (choice?.delta ?? {}) as Record<string, unknown>;
        calls.push(tool_calls);
        isCut ||= choice?.finish_reason === 'length';
        if (typeof content === 'string' && content !== '') yield* said.take(filter.push(content));
        // Reasoning, which some servers send as a field of its own, is a sign of life.
        else yield '';
      }
    } finally {
      meter?.countTokens(usage.result);
    }
    yield* said.take(filter.end(isCut));
    return { text: said.text, calls: calls.end() };
  }

  protected reasonOf(error: unknown): string {
    return reasonOf(error);
  }
}

/** The pictures belong to what the user has said last. */
function withImages(messages: ModelRequest['messages'], images: readonly string[]): ModelRequest['messages'] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const text = messages[at]!.content as string;
  const pictures = images.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
  return messages.with(at, { role: 'user', content: [{ type: 'text', text }, ...pictures] });
}
