import { describeError, type LoggerOf, untilAborted } from 'avatar-chat-runtime';
import type { EngineTurn } from '../avatar-engine.js';
import type { FunctionRound, ToolCall } from './caller.functions.js';
import type { ToolTurn } from './engine-tool.js';
import { exactJson, parseIfJson } from './exact.json.js';
import { type OfferedTool, ToolError } from './tool.sources.js';

/** Maximum size of the result of one call, */
const MAX_RESULT_BYTES = 16 * 1024;
/** and of the results of a turn together. */
const MAX_RESULTS_BYTES = 64 * 1024;
/** Timeout of a tool, in milliseconds. */
const TOOL_TIMEOUT_MS = 5000;

/** Why a call has no result, as the model learns it. */
interface ToolFailure {
  readonly error: string;
  readonly message?: string;
}

/** Runs the calls of one turn. A tool that fails does not fail the turn: the model learns what went wrong. */
export class ToolCalls {
  private readonly logger: ReturnType<LoggerOf>;
  private bytes = 0;

  constructor(
    private readonly tools: ReadonlyMap<string, OfferedTool>,
    private readonly turn: EngineTurn,
    loggerOf: LoggerOf,
    private readonly timeoutMs = TOOL_TIMEOUT_MS,
  ) {
    this.logger = loggerOf(ToolCalls.name);
  }

  /** @returns JSON for the model */
  async run(call: ToolCall): Promise<string> {
    const started = performance.now();
    const result = await this.attempt(call);
    const seconds = (performance.now() - started) / 1000;
    const source = this.tools.get(call.name)?.source ?? 'module';
    this.turn.meter?.countToolCall(source, typeof result === 'string' ? 'answered' : result.error, seconds);
    return typeof result === 'string' ? result : JSON.stringify(result);
  }

  /** The results of a former round that a model may get, by the identifiers of the calls. */
  admit({ calls, results }: FunctionRound): Record<string, string> {
    const admitted = calls.map(({ id, name }) => {
      const result = Object.hasOwn(results, id) ? this.bounded(name, results[id]) : failed('no_result');
      return [id, typeof result === 'string' ? result : JSON.stringify(result)];
    });
    return Object.fromEntries(admitted) as Record<string, string>;
  }

  private async attempt({ name, args }: ToolCall): Promise<string | ToolFailure> {
    const known = this.tools.get(name);
    if (!known) return failed('unknown_tool');
    const input = parseIfJson(args);
    const fault = known.check(input);
    if (fault !== undefined) return failed('invalid_arguments', fault);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.timeoutMs);
    try {
      const signal = AbortSignal.any([this.turn.signal, timeout.signal]);
      const { project_id, user_id, avatar, language_code, chat_type, request, message_id, attempt } = this.turn;
      const asked = { project_id, user_id, avatar, language_code, chat_type, request, message_id, attempt };
      const { session } = this.turn;
      const turn: ToolTurn = { ...asked, signal, ...(session === undefined ? {} : { session }) };
      const work = (async () => known.run(input as never, turn, exactJson(args)))();
      work.catch(() => undefined);
      signal.throwIfAborted();
      return this.bounded(name, JSON.stringify((await untilAborted(work, signal)) ?? null));
    } catch (error) {
      const isKnown = error instanceof ToolError && !timeout.signal.aborted;
      if (isKnown && error.told !== undefined) return failed(error.code, error.told);
      // Its message may quote what a user said.
      const why = isKnown && error.reason ? { reason: error.reason } : describeError(error);
      if (!timeout.signal.aborted) this.logger.warn({ tool: name, project_id: this.turn.project_id, ...why });
      else this.logger.warn(`The tool ${name} took longer than ${this.timeoutMs / 1000} s`);
      if (isKnown) return failed(error.code);
      return failed(timeout.signal.aborted ? 'tool_timed_out' : 'tool_failed');
    } finally {
      clearTimeout(timer);
    }
  }

  private bounded(name: string, result: string | undefined = 'null'): string | ToolFailure {
    const length = Buffer.byteLength(result);
    if (length > MAX_RESULT_BYTES || this.bytes + length > MAX_RESULTS_BYTES) {
      this.logger.warn(`The tool ${name} returned more than a model may get`);
      return failed('result_too_large');
    }
    this.bytes += length;
    return result;
  }
}

function failed(error: string, message?: string): ToolFailure {
  return { error, ...(message === undefined ? {} : { message }) };
}
