import { Injectable, Logger } from '@nestjs/common';
import { greetingIn, type Avatar, type Project } from '../catalogue/index.js';
import { describeError } from '../platform/logging/index.js';
import { EngineRegistry, type EngineExchange, type EngineSaid } from '../engines/index.js';
import { type Beginning } from '../erasures/index.js';
import type { Owner } from '../auth/index.js';
import { MessageRepository, type RecentAnswer, type MessageDocument, MAX_ANSWER } from '../messages/index.js';
import { failure } from '../platform/errors/index.js';
import { TurnMetrics } from './turn.metrics.js';

/** How many turns an engine is told of. */
const HISTORY_TURNS = 20;
/** Answers read to find them, for a user may have talked with other avatars in between. */
export const HISTORY_ANSWERS = 30;

/** A turn whose message is stored; by an earlier request of the same key, if it is repeated. */
export interface BegunTurn {
  owner: Owner;
  project: Project;
  avatar: Avatar;
  outgoing: MessageDocument;
  repeated: boolean;
  /** When the turn began: what was erased since is not stored again. */
  beginning: Beginning;
  /** Makes room for another turn. */
  leave: () => void;
  /** The newest answers about when it was stored, newest first. */
  recent?: readonly RecentAnswer[];
}

/** Why an answer was cut short. */
export type Interruption = 'left' | 'timeout' | 'stopping' | 'erased';

/** Ends what an avatar is saying, for the first reason that comes. */
export class TurnLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  reason?: Interruption;

  constructor(seconds: number) {
    this.timer = setTimeout(() => this.end('timeout'), seconds * 1000);
  }
  get signal(): AbortSignal {
    return this.controller.signal;
  }
  end(reason: Interruption): void {
    this.reason ??= reason;
    this.controller.abort();
  }
  clear(): void {
    clearTimeout(this.timer);
  }
}

/** Asks the avatar. */
@Injectable()
export class TurnAnswer {
  private readonly logger = new Logger(TurnAnswer.name);

  constructor(
    private readonly messages: MessageRepository,
    private readonly engines: EngineRegistry,
    private readonly metrics: TurnMetrics,
  ) {}

  /**
   * The avatar's answer to a stored message, piece by piece. Ends early where the limit does: `limit.reason` says why.
   *
   * @throws ServiceError `engine_failed`
   */
  async *pieces({ owner, avatar: entry, outgoing, recent }: BegunTurn, limit: TurnLimit): AsyncGenerator<string, void> {
    const { request, language_code, chat_type } = outgoing;
    const avatar = { ...entry, greetingText: greetingIn(entry, language_code) };
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    const engine = avatar.engine.kind;
    let length = 0;
    let reply: AsyncIterator<string> | undefined;
    try {
      const answers = recent ?? (await this.messages.recentAnswers(owner, HISTORY_ANSWERS));
      const [history, said] = [historyOf(outgoing, answers), saidBefore(outgoing, answers)];
      const { signal } = limit;
      const turn = {
        ...owner,
        avatar,
        engine: avatar.engine,
        language_code,
        chat_type,
        request,
        history,
        said,
        signal,
      };
      reply = this.engines.engineFor(engine).reply(turn)[Symbol.asyncIterator]();
      const aborted = once(limit.signal);
      while (length < MAX_ANSWER) {
        const next = await Promise.race([reply.next(), aborted]);
        if (limit.signal.aborted || !next || next.done) break;
        if (typeof next.value !== 'string') throw new TypeError('An engine said something that is no text');
        if (!next.value) continue;
        if (length === 0) this.metrics.firstPieceSeconds.observe({ engine }, elapsed());
        const piece = cut(next.value, MAX_ANSWER - length);
        if (!piece) break;
        length += piece.length;
        yield piece;
      }
    } catch (error) {
      if (limit.signal.aborted) return;
      this.logger.warn({ engine, ...describeError(error) });
      throw failure('engine_failed');
    } finally {
      this.metrics.engineSeconds.observe({ engine }, elapsed());
      // Not awaited: an engine that hangs would hold up everything.
      void Promise.resolve(reply?.return?.()).catch(() => undefined);
    }
    if (length === 0 && !limit.signal.aborted) throw failure('engine_failed');
  }
}

/** The newest turns with the same avatar, oldest first, from before the one that is to be answered. */
function historyOf({ avatar_id, date }: MessageDocument, recent: readonly RecentAnswer[]): EngineExchange[] {
  return recent
    .filter((message) => message.avatar_id === avatar_id && message.date < date)
    .slice(0, HISTORY_TURNS)
    .map(({ request, answer = '' }) => ({ request, answer }))
    .toReversed();
}

/** What the user said to any avatar of the project before that, oldest first. */
function saidBefore({ date }: MessageDocument, recent: readonly RecentAnswer[]): EngineSaid[] {
  return recent
    .filter((message) => message.date < date)
    .map(({ avatar_id, request }) => ({ avatar_id, request }))
    .toReversed();
}

/** What an answer that was cut short is to its client. */
export function interruptionError(reason: Interruption) {
  if (reason === 'erased') return failure('user_erased');
  return reason === 'timeout' ? failure('answer_timeout') : failure('service_unavailable');
}

/** The beginning of a text, not ending in the middle of a character of two units. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

function once(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
