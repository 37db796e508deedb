import type { PartLogger } from 'avatar-chat-runtime';
import {
  type AnswerPiece,
  AvatarEngine,
  type EngineEntry,
  EngineError,
  type EngineTurn,
  RETRACT,
} from '../avatar-engine.js';
import type { ChatEngineParts } from '../chat.engine.js';
import { reasonOf } from '../openai.errors.js';
import { DEFAULT_TOKENS } from '../openai.prompt.js';
import type { OpenAiServers } from '../openai.servers.js';
import { UsageReader } from '../openai.usage.js';
import type { Prompts } from '../prompted.turn.js';
import { ReasoningFilter } from '../reasoning.js';
import type { OpenAiRealtime } from './openai.realtime.js';
import type { RealtimeSettings } from './realtime.conversation.js';
import { REALTIME_KIND, REALTIME_RULES, type RealtimeEntry } from './realtime.entry.js';
import { realtimePrompt } from './realtime.prompt.js';

/**
 * Answers in text with an OpenAI Realtime server. In live sessions such a server also hears and speaks; the live mode
 * connects to it itself.
 */
export class RealtimeEngine extends AvatarEngine {
  readonly kind = REALTIME_KIND;
  override readonly isModel = true;
  private readonly logger: PartLogger;
  private readonly sources: Prompts;

  constructor(
    private readonly servers: OpenAiServers,
    private readonly realtime: OpenAiRealtime,
    { sources, loggerOf }: Pick<ChatEngineParts, 'sources' | 'loggerOf'>,
  ) {
    super();
    this.sources = sources;
    this.logger = loggerOf(RealtimeEngine.name);
  }

  validate(entry: EngineEntry): string[] {
    return this.servers.faultsOf(entry, REALTIME_RULES, Object.keys(REALTIME_RULES));
  }

  async *reply(turn: EngineTurn): AsyncIterable<AnswerPiece> {
    const { signal } = turn;
    if (signal.aborted) return;
    const faults = this.validate(turn.engine);
    if (faults.length > 0) throw this.failed(turn, `its entry in the catalogue has faults: ${faults.join('; ')}`);
    let hasSpoken = false;
    try {
      for await (const piece of this.ask(turn, turn.engine as unknown as RealtimeEntry)) {
        hasSpoken = piece !== RETRACT && (hasSpoken || piece.trim() !== '');
        yield piece;
      }
    } catch (error) {
      if (signal.aborted) return;
      throw this.failed(turn, reasonOf(error));
    }
    if (!hasSpoken && !signal.aborted) throw this.failed(turn, 'there was no text in the answer');
  }

  private async *ask(turn: EngineTurn, entry: RealtimeEntry): AsyncIterable<AnswerPiece> {
    const { signal } = turn;
    const silent = { onEvent: () => undefined, onLost: () => undefined };
    const paragraphs = await this.sources.paragraphsFor(turn, entry.context_tokens ?? DEFAULT_TOKENS);
    const { instructions, items } = realtimePrompt({ ...turn, chat_type: 'text' }, entry, paragraphs);
    const conversation = await this.realtime.open(entry, { signal, ...silent });
    try {
      const session: RealtimeSettings = { type: 'realtime', output_modalities: ['text'], instructions };
      conversation.send({ type: 'session.update', session });
      for (const item of items) conversation.send({ type: 'conversation.item.create', item });
      const filter = new ReasoningFilter(entry.reasoning);
      const usage = new UsageReader(instructions + JSON.stringify(items));
      try {
        for await (const part of conversation.respond({ output_modalities: ['text'] }, signal)) {
          if ('usage' in part) usage.read(part);
          if (!('text' in part)) continue;
          usage.read({ choices: [{ delta: { content: part.text } }] });
          yield* filter.push(part.text);
        }
      } finally {
        turn.meter?.countTokens(usage.result);
      }
      yield* filter.end();
    } finally {
      conversation.close();
    }
  }

  /** The operator learns the reason from the log, the user that it failed. */
  private failed({ avatar }: EngineTurn, reason: string): EngineError {
    this.logger.warn(`The model of the avatar ${avatar._id} failed: ${reason}`);
    return new EngineError();
  }
}
