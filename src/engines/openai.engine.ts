import { Injectable } from '@nestjs/common';
import { OpenAiServers, reasonOf } from '../openai/index.js';
import {
  type AnswerPiece,
  AvatarEngine,
  EngineEntry,
  EngineError,
  EngineTurn,
  RETRACT,
  type CompleteOptions,
  type PromptMessage,
} from './avatar-engine.js';
import { noticed } from './tools/caller.functions.js';
import { StreamedCalls } from './openai.calls.js';
import { OPENAI_RULES, OpenAiEntry } from './openai.entry.js';
import { NO_SOURCES, PromptSources } from './prompt.sources.js';
import { ReasoningFilter } from './reasoning.js';
import { UsageReader } from './openai.usage.js';
import { type AskedOnce, type ModelRequest, ToolLoop } from './tools/tool.loop.js';
import { NO_TOOLS, ToolRegistry } from './tools/tool.registry.js';
import { loggerOf } from '../platform/logging/index.js';

/** Maximum size of an answer that is not streamed, in bytes. */
const MAX_COMPLETION_BYTES = 1024 * 1024;
const MAX_ANSWER_BYTES = 100_000;
/** Room for the envelope of each piece of an answer, and for a model's reasoning before it. */
const LIMITS = { maxRetries: 2, maxBytes: 64 * 1024 * 1024, maxEventBytes: 256 * 1024 };

/** Answers with a model on any server with the OpenAI API: Ollama, vLLM, LM Studio, a hosted one. */
@Injectable()
export class OpenAiEngine extends AvatarEngine {
  readonly kind = 'openai';
  override readonly isModel = true;
  protected readonly toolTimeoutMs?: number;
  private readonly logger = loggerOf(OpenAiEngine.name);

  constructor(
    private readonly servers: OpenAiServers,
    private readonly tools: ToolRegistry = NO_TOOLS,
    private readonly sources: PromptSources = NO_SOURCES,
  ) {
    super();
  }

  validate(entry: EngineEntry): string[] {
    const rules = { ...OPENAI_RULES, tools: this.tools.rule };
    return this.servers.faultsOf(entry, rules, ['context_tokens', 'knowledge_tokens', 'reasoning', 'tools']);
  }

  async *reply(turn: EngineTurn): AsyncGenerator<AnswerPiece, void> {
    for await (const piece of this.progress(turn)) if (piece) yield piece;
  }

  /** The answer; an empty piece means that the model works on it. */
  async *progress(turn: EngineTurn): AsyncGenerator<AnswerPiece, void> {
    if (turn.signal.aborted) return;
    const faults = this.validate(turn.engine);
    if (faults.length > 0) throw this.failed(turn, `its entry in the catalogue has faults: ${faults.join('; ')}`);
    const entry = turn.engine as unknown as OpenAiEntry;
    let bytes = 0;
    let hasText = false;
    let hasCalled = false;
    const asked = { ...turn, ...noticed(turn.caller, () => (hasCalled = true)) };
    const loop = new ToolLoop(
      this.tools,
      this.sources,
      (request) => this.ask(turn, entry, request),
      this.toolTimeoutMs,
    );
    try {
      for await (const piece of loop.run(asked, entry)) {
        if (piece === RETRACT) {
          bytes = 0;
          hasText = false;
          yield piece;
          continue;
        }
        const kept = atMost(MAX_ANSWER_BYTES - bytes, piece);
        bytes += Buffer.byteLength(kept);
        hasText ||= kept.trim() !== '';
        yield kept;
        if (kept !== piece) return;
      }
    } catch (error) {
      if (turn.signal.aborted) return;
      throw error instanceof EngineError ? error : this.failed(turn, reasonOf(error));
    }
    if (!hasText && !hasCalled && !turn.signal.aborted) throw this.failed(turn, 'there was no text in the answer');
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
    usage.read(answer as object);
    meter?.countTokens(usage.result);
    const content: unknown = answer.choices?.[0]?.message?.content;
    const filter = new ReasoningFilter();
    const pieces = [...filter.push(typeof content === 'string' ? content : ''), ...filter.end()];
    return pieces.slice(pieces.lastIndexOf(RETRACT) + 1).join('');
  }

  private async *ask(
    { signal, meter }: EngineTurn,
    entry: OpenAiEntry,
    request: ModelRequest,
  ): AsyncGenerator<AnswerPiece, AskedOnce> {
    const stream = await this.servers.call(entry, { ...LIMITS, signal }, (client, options) =>
      client.chat.completions.create(
        { model: entry.model, ...request, stream: true, stream_options: { include_usage: true } },
        options,
      ),
    );
    const calls = new StreamedCalls();
    const filter = new ReasoningFilter(entry.reasoning);
    const usage = new UsageReader(JSON.stringify(request.messages));
    let text = '';
    let isCut = false;
    const take = function* (pieces: readonly AnswerPiece[]) {
      if (pieces.length === 0) yield '';
      for (const piece of pieces) {
        if (piece === RETRACT) text = '';
        else if (text.length < MAX_ANSWER_BYTES) text += piece;
        yield piece;
      }
    };
    try {
      for await (const chunk of stream) {
        const choice = chunk.choices?.[0];
        usage.read(chunk);
        const { content, tool_calls } = (choice?.delta ?? {}) as Record<string, unknown>;
        calls.push(tool_calls);
        isCut ||= choice?.finish_reason === 'length';
        if (typeof content === 'string' && content !== '') yield* take(filter.push(content));
        // Reasoning, which some servers send as a field of its own, is a sign of life.
        else yield '';
      }
    } finally {
      meter?.countTokens(usage.result);
    }
    yield* take(filter.end(isCut));
    return { text, calls: calls.end() };
  }

  /** The operator learns the reason from the log, the user that it failed. */
  private failed({ avatar }: EngineTurn, reason: string): EngineError {
    this.logger.warn(`The model of the avatar ${avatar._id} failed: ${reason}`);
    return new EngineError();
  }
}

function atMost(bytes: number, text: string): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // In stream mode, the decoder drops an incomplete character at the end.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
