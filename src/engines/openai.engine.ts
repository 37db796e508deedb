import { Injectable, Logger } from '@nestjs/common';
import { OpenAiServers, reasonOf } from '../openai/index.js';
import { AvatarEngine, EngineEntry, EngineError, EngineTurn } from './avatar-engine.js';
import { OPENAI_RULES, OpenAiEntry } from './openai.entry.js';
import { promptFor } from './openai.prompt.js';

const MOST_ANSWER_BYTES = 100_000;
/** For an answer with all that surrounds each of its pieces, and what a model thinks aloud before it. */
const LIMITS = { maxRetries: 2, maxBytes: 64 * 1024 * 1024, maxEventBytes: 256 * 1024 };

/** Lets a model answer, at any server with the OpenAI API: Ollama, vLLM, LM Studio, a hosted one. */
@Injectable()
export class OpenAiEngine extends AvatarEngine {
  readonly kind = 'openai';
  private readonly logger = new Logger(OpenAiEngine.name);

  constructor(private readonly servers: OpenAiServers) {
    super();
  }

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
    const { signal } = turn;
    const stream = await this.servers.call(entry, { ...LIMITS, signal }, (client, options) =>
      client.chat.completions.create({ model: entry.model, messages: promptFor(turn, entry), stream: true }, options),
    );
    for await (const chunk of stream) {
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

function atMost(bytes: number, text: string): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // As part of a stream, a character that is cut in two is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
