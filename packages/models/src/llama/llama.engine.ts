import { entryFaults, type FieldRule } from 'avatar-chat-catalogue';
import {
  type AnswerPiece,
  type CompleteOptions,
  EngineBusyError,
  type EngineEntry,
  type EngineTurn,
  type PromptMessage,
  RETRACT,
} from '../avatar-engine.js';
import { ChatEngine, type ChatEngineParts, StreamedText } from '../chat.engine.js';
import { StreamedCalls } from '../openai.calls.js';
import { DEFAULT_TOKENS } from '../openai.prompt.js';
import { ReasoningFilter } from '../reasoning.js';
import type { AskedOnce, ModelRequest } from '../tools/tool.loop.js';
import { LLAMA_RULES, type LlamaEntry } from './llama.entry.js';
import type { LlamaMessage, LlamaRequest } from './llama.messages.js';
import type { LlamaModels } from './llama.models.js';
import { LlamaBusyError, LlamaError } from './llama.process.js';

const DEFAULT_ANSWER_TOKENS = 300;
const DEFAULT_TEMPERATURE = 0.7;
const OPTIONAL = ['context_tokens', 'max_tokens', 'temperature', 'reasoning', 'knowledge_tokens', 'tools'];

/** Answers with a language model in a child process of the service. */
export class LlamaEngine extends ChatEngine<LlamaEntry> {
  readonly kind = 'llama';

  constructor(
    private readonly models: LlamaModels,
    parts: ChatEngineParts,
  ) {
    super(parts);
  }

  validate(entry: EngineEntry): string[] {
    const rules: Record<string, FieldRule> = { ...LLAMA_RULES, tools: this.parts.tools.rule };
    const faults = entryFaults(entry, rules, OPTIONAL);
    const fault = faults.length > 0 ? undefined : this.models.faultOf(entry.model as string);
    return fault === undefined ? faults : [`model: ${fault}`];
  }

  override async prepare(entry: EngineEntry): Promise<void> {
    if (this.validate(entry).length === 0) await this.models.prepare(placeOf(entry as unknown as LlamaEntry));
  }

  override async complete(
    entry: EngineEntry,
    messages: readonly PromptMessage[],
    { signal, meter }: CompleteOptions,
  ): Promise<string> {
    const pieces: AnswerPiece[] = [];
    const asking = this.stream(entry as unknown as LlamaEntry, { messages: [...messages] }, ['complete'], {
      signal,
      meter,
    });
    for await (const piece of asking) pieces.push(piece);
    return pieces.slice(pieces.lastIndexOf(RETRACT) + 1).join('');
  }

  protected ask(turn: EngineTurn, entry: LlamaEntry, request: ModelRequest): AsyncGenerator<AnswerPiece, AskedOnce> {
    const { project_id, user_id, avatar, signal, meter } = turn;
    const { holders = [`${project_id}/${user_id}`] } = turn;
    return this.stream(entry, request, holders, { signal, meter }, `${project_id}/${user_id} ${avatar._id}`);
  }

  protected reasonOf(error: unknown): string {
    return error instanceof LlamaError ? error.message : 'it failed';
  }

  /** @param holders whose share of the slots it takes */
  private async *stream(
    entry: LlamaEntry,
    { messages, tools = [], tool_choice }: ModelRequest,
    holders: readonly string[],
    { signal, meter }: CompleteOptions,
    conversation = holders[0]!,
  ): AsyncGenerator<AnswerPiece, AskedOnce> {
    const place = placeOf(entry);
    const offered = tool_choice === 'none' ? [] : tools;
    const request: LlamaRequest = {
      messages: messages as unknown as LlamaMessage[],
      functions: offered.map((tool) => (tool as { function: LlamaRequest['functions'][number] }).function),
      conversation,
      ...place,
      temperature: entry.temperature ?? DEFAULT_TEMPERATURE,
    };
    const filter = new ReasoningFilter(entry.reasoning);
    const said = new StreamedText();
    const calls = new StreamedCalls();
    const answer = this.models.answer(place, request, holders, signal);
    try {
      for (;;) {
        const next = await answer.next();
        if (!next.done) {
          yield* said.take(filter.push(next.value));
          continue;
        }
        const { isCut, prompt_tokens, completion_tokens } = next.value;
        meter?.countTokens({ prompt_tokens, completion_tokens, estimated: false });
        calls.push(next.value.calls.map(({ name, args }, index) => ({ index, function: { name, arguments: args } })));
        yield* said.take(filter.end(isCut));
        return { text: said.text, calls: calls.end() };
      }
    } catch (error) {
      throw error instanceof LlamaBusyError ? new EngineBusyError() : error;
    } finally {
      // Not awaited: the slot is freed when the process says so.
      void answer.return(undefined as never).catch(() => undefined);
    }
  }
}

function placeOf({ model, context_tokens = DEFAULT_TOKENS, max_tokens = DEFAULT_ANSWER_TOKENS }: LlamaEntry) {
  return { model, context_tokens, max_tokens };
}
