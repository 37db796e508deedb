import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OpenAI } from 'openai';
import { AvatarEngine, EngineEntry, EngineError, EngineTurn } from './avatar-engine.js';
import { OpenAiEntry, openAiFaults } from './openai.entry.js';
import { promptFor } from './openai.prompt.js';

/** Reads a secret by the name of its environment variable. */
export type ReadSecret = (name: string) => string | undefined;
export const READ_SECRET = Symbol('READ_SECRET');

const RETRIES = 2;
const MOST_ANSWER_BYTES = 100_000;

/** Lets a model answer, at any server with the OpenAI API: Ollama, vLLM, LM Studio, a hosted one. */
@Injectable()
export class OpenAiEngine implements AvatarEngine {
  readonly kind = 'openai';
  private readonly logger = new Logger(OpenAiEngine.name);

  constructor(@Inject(READ_SECRET) private readonly readSecret: ReadSecret) {}

  validate(entry: EngineEntry): string[] {
    return openAiFaults(entry);
  }

  async *reply(turn: EngineTurn): AsyncIterable<string> {
    if (turn.signal.aborted) return;
    if (openAiFaults(turn.engine).length > 0) throw this.failed(turn, 'its entry in the catalogue has faults');
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
    const client = await this.clientFor(turn, entry);
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

  private async clientFor(turn: EngineTurn, { base_url, api_key_env }: OpenAiEntry): Promise<OpenAI> {
    const key = api_key_env === undefined ? 'none' : this.readSecret(api_key_env);
    if (!key) throw this.failed(turn, `the variable ${api_key_env} is not set`);
    // Loaded when it is needed: most services have no such engine, and a start should not wait for it.
    const { default: OpenAI } = await import('openai');
    // What is not given here, the package would take from the environment; its log would hold what users say.
    return new OpenAI({
      apiKey: key,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: base_url,
      maxRetries: RETRIES,
      logLevel: 'off',
    });
  }

  /** The operator learns the reason from the log, the user that it failed. */
  private failed({ avatar }: EngineTurn, reason: string): EngineError {
    this.logger.warn(`The model of the avatar ${avatar._id} failed: ${reason}`);
    return new EngineError();
  }
}

// Never the error's own text: it may quote the key, or what the user said.
function reasonOf(error: unknown): string {
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
