import { Injectable, Logger } from '@nestjs/common';
import { MissingKeyError, OpenAiServers } from '../outgoing/index.js';
import { AvatarEngine, EngineEntry, EngineError, EngineTurn } from './avatar-engine.js';
import { OPENAI_RULES, OpenAiEntry } from './openai.entry.js';
import { promptFor } from './openai.prompt.js';

const MOST_ANSWER_BYTES = 100_000;
/** For an answer with all that surrounds each of its pieces, and what a model thinks aloud before it. */
const LIMITS = { maxRetries: 2, maxBytes: 64 * 1024 * 1024, maxEventBytes: 256 * 1024 };

/** Lets a model answer, at any server with the OpenAI API: Ollama, vLLM, LM Studio, a hosted one. */
@Injectable()
export class OpenAiEngine implements AvatarEngine {
  readonly kind = 'openai';
  private readonly logger = new Logger(OpenAiEngine.name);

  constructor(private readonly servers: OpenAiServers) {}

  validate(entry: EngineEntry): string[] {
    return this.servers.faultsOf(entry, OPENAI_RULES, ['context_tokens']);
  }

  async *reply(turn: EngineTurn): AsyncIterable<string> {
    if (turn.signal.aborted) return;
    const faults = this.validate(turn.engine);
    if (faults.length > 0) throw this.failed(turn, `its entry in the catalogue has faults: ${faults.join('; ')}`);
    let bytes = 0;
    try {
      for await (const piece of this.ask(turn, turn.engine as unknown as OpenAiEntry)) {
        const kept = atMost(MOST_ANSWER_BYTES - bytes, piece);
        bytes += Buffer.byteLength(kept);
        if (kept) yield kept;
        if (kept !== piece) return;
      }
    } catch (error) {
      if (turn.signal.aborted) return;
      throw error instanceof EngineError ? error : this.failed(turn, reasonOf(error));
    }
    if (bytes === 0 && !turn.signal.aborted) throw this.failed(turn, 'there was no text in the answer');
  }

  private async *ask(turn: EngineTurn, entry: OpenAiEntry): AsyncIterable<string> {
    const client = await this.servers.clientFor(entry, LIMITS);
    const stream = await unlessAborted(
      turn.signal,
      client.chat.completions.create(
        { model: entry.model, messages: promptFor(turn, entry), stream: true },
        { signal: turn.signal },
      ),
    );
    for await (const chunk of stream ?? []) {
      const piece: unknown = chunk.choices?.[0]?.delta?.content;
      if (typeof piece === 'string' && piece !== '') yield piece;
    }
  }

  /** The operator learns the reason from the log, the user that it failed. */
  private failed({ avatar }: EngineTurn, reason: string): EngineError {
    this.logger.warn(`The model of the avatar ${avatar._id} failed: ${reason}`);
    return new EngineError();
  }
}

// Never the error's own text: it may quote the key, or what the user said.
function reasonOf(error: unknown): string {
  if (error instanceof MissingKeyError) return error.message;
  const { status } = error as { status?: unknown };
  if (typeof status === 'number') return `its server answered with status ${status}`;
  if (error instanceof Error && /^APIConnection/.test(error.constructor.name)) return 'its server cannot be reached';
  return 'its answer broke off or was not understood';
}

// The package waits between its tries without looking at the signal.
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  let leave = () => {};
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
    signal.addEventListener('abort', leave);
  });
  return Promise.race([work, left]).finally(() => signal.removeEventListener('abort', leave));
}

function atMost(bytes: number, text: string): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // As part of a stream, a character that is cut in two is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
