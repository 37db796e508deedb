import type { LoggerOf, PartLogger } from 'avatar-chat-runtime';
import { type AnswerPiece, AvatarEngine, EngineError, type EngineTurn, RETRACT } from './avatar-engine.js';
import type { OpenAiEntry } from './openai.entry.js';
import type { Prompts } from './prompted.turn.js';
import { noticed } from './tools/caller.functions.js';
import { type AskedOnce, type ModelRequest, ToolLoop } from './tools/tool.loop.js';
import type { Tools } from './tools/tool.sources.js';

const MAX_ANSWER_BYTES = 100_000;

/** What the prompt of such an engine is made of. */
export type ChatEntry = Pick<OpenAiEntry, 'system_prompt' | 'context_tokens' | 'reasoning' | 'tools'>;

/** What such an engine needs. */
export interface ChatEngineParts {
  readonly tools: Tools;
  readonly sources: Prompts;
  readonly loggerOf: LoggerOf;
  /** Counts calls of the model. */
  readonly calls?: {
    /** @returns a function to call at its end */
    begin(engine: string): () => void;
  };
}

/** Answers with a language model that is asked with messages and tools. */
export abstract class ChatEngine<Entry extends ChatEntry> extends AvatarEngine {
  override readonly isModel = true;
  protected readonly toolTimeoutMs?: number;
  private readonly logger: PartLogger;

  constructor(protected readonly parts: ChatEngineParts) {
    super();
    this.logger = parts.loggerOf(ChatEngine.name);
  }

  /** Asks the model once. An empty piece means that it works on it. */
  protected abstract ask(turn: EngineTurn, entry: Entry, request: ModelRequest): AsyncGenerator<AnswerPiece, AskedOnce>;

  /** What is told of an error in the log. */
  protected abstract reasonOf(error: unknown): string;

  async *reply(turn: EngineTurn): AsyncGenerator<AnswerPiece, void> {
    for await (const piece of this.progress(turn)) if (piece) yield piece;
  }

  /** The answer; an empty piece means that the model works on it. */
  async *progress(turn: EngineTurn): AsyncGenerator<AnswerPiece, void> {
    if (turn.signal.aborted) return;
    const faults = this.validate(turn.engine);
    if (faults.length > 0) throw this.failed(turn, `its entry in the catalogue has faults: ${faults.join('; ')}`);
    const entry = turn.engine as unknown as Entry;
    let bytes = 0;
    let hasText = false;
    let hasCalled = false;
    const asked = { ...turn, ...noticed(turn.caller, () => (hasCalled = true)) };
    const loop = new ToolLoop(
      this.parts.tools,
      this.parts.sources,
      (request) => this.askCounted(turn, entry, request),
      this.parts.loggerOf,
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
      throw error instanceof EngineError ? error : this.failed(turn, this.reasonOf(error));
    }
    if (!hasText && !hasCalled && !turn.handover?.isRequested && !turn.signal.aborted)
      throw this.failed(turn, 'there was no text in the answer');
  }

  private async *askCounted(turn: EngineTurn, entry: Entry, request: ModelRequest): ReturnType<typeof this.ask> {
    const end = this.parts.calls?.begin(this.kind);
    try {
      return yield* this.ask(turn, entry, request);
    } finally {
      end?.();
    }
  }

  /** The operator learns the reason from the log, the user that it failed. */
  private failed({ avatar }: EngineTurn, reason: string): EngineError {
    this.logger.warn(`The model of the avatar ${avatar._id} failed: ${reason}`);
    return new EngineError();
  }
}

/** The text of an answer while it is streamed, without what was retracted. */
export class StreamedText {
  text = '';

  /** Passes on the pieces; if there are none, a sign of life. */
  *take(pieces: readonly AnswerPiece[]): Generator<AnswerPiece> {
    if (pieces.length === 0) yield '';
    for (const piece of pieces) {
      if (piece === RETRACT) this.text = '';
      else if (this.text.length < MAX_ANSWER_BYTES) this.text += piece;
      yield piece;
    }
  }
}

function atMost(bytes: number, text: string): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // In stream mode, the decoder drops an incomplete character at the end.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
