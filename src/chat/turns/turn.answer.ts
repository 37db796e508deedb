import { Injectable } from '@nestjs/common';
import { greetingIn, type Avatar, type Project } from 'avatar-chat-catalogue';
import { describeError, loggerOf } from '../../platform/logging/index.js';
import {
  type AnswerPiece,
  type CallerFunctions,
  EngineBusyError,
  type EngineExchange,
  type EngineResult,
  type EngineTurn,
  RETRACT,
  type TurnHandover,
  type TurnMeter,
  type TurnSource,
} from 'avatar-chat-models';
import { EngineRegistry } from '../../engines/index.js';
import { type ErasureFence } from '../../erasure/index.js';
import { Events } from '../../events/index.js';
import type { Owner } from '../../auth/index.js';
import {
  MAX_ANSWER,
  type MessageDocument,
  MessageQuestions,
  MessageRepository,
  type RecentAnswer,
} from '../../messages/index.js';
import { type ConversationShown, HandoverService, shownState } from '../../handover/index.js';
import { failure } from '../../platform/errors/index.js';
import { faultOf, INTERNAL, runInTrace, startSpan, aborted } from 'avatar-chat-runtime';
import { type AnswerOutcome, Quality, Usage, type UsedBy } from '../../quality/index.js';
import { type DeletedTurns, HISTORY_ANSWERS, historyOf, saidBefore, saidOnce } from './turn.history.js';
import { TurnHooks } from './turn.hooks.js';
import { TurnMetrics } from './turn.metrics.js';

/** Sources of an answer: they are stored with it. */
const MAX_SOURCES = 20;

/** A turn whose message is stored; for a repeated turn, by the earlier request with the same key. */
export interface BegunTurn {
  owner: Owner;
  project: Project;
  avatar: Avatar;
  /** What it uses is counted for this. */
  usedBy: UsedBy;
  outgoing: MessageDocument;
  repeated: boolean;
  /** When the turn began: data erased since then is not stored again. */
  fence: ErasureFence;
  /** The parts of documents that the answer is from, as far as known. */
  sources: TurnSource[];
  /** Who takes a share of what users have in common: the user, then possibly the address. */
  holders: readonly string[];
  /** Releases the turn's slot. */
  leave: () => void;
  /** Aborted if others need the slot more. */
  displaced: AbortSignal;
  /** Who has the conversation instead of the avatar, which then does not answer, or hands over in this turn. */
  conversation?: ConversationShown | undefined;
  /** The language of the recording, if the transcriber's model chose it. */
  heard?: string | undefined;
  /** The latest answers at the time it was stored, newest first. */
  recent?: readonly RecentAnswer[];
}

/** A turn to be answered. */
export type AskedTurn = Omit<BegunTurn, 'fence' | 'leave' | 'displaced'> &
  Pick<EngineTurn, 'client' | 'caller' | 'images'> & {
    deleted?: DeletedTurns;
    /** Called with what each request to a model takes. */
    onTokens?: TurnMeter['countTokens'];
  };

/** Why an answer was cut short. */
export type Interruption = 'left' | 'timeout' | 'stopping' | 'taken' | 'erased';

/** Interrupts what an avatar is saying, with the first reason given. */
export class TurnLimit {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout;
  private isComplete = false;
  reason?: Interruption;
  private gone?: unknown;

  constructor(seconds: number) {
    this.timer = this.start(seconds);
  }
  /** Starts the time anew. */
  restart(seconds: number): void {
    this.clear();
    this.timer = this.start(seconds);
  }
  get signal(): AbortSignal {
    return this.controller.signal;
  }
  /** The text is complete: from now on, only an erasure or a person is a reason to discard it; others stop its speech. */
  complete(): void {
    this.isComplete = true;
  }
  end(reason: Exclude<Interruption, 'erased'>): void {
    if (!this.isComplete || reason === 'taken') this.reason ??= reason;
    this.controller.abort();
  }
  /** Ends it as a stop of the service does, since others need its slot more. */
  endWhen(displaced: AbortSignal): void {
    if (displaced.aborted) this.end('stopping');
    displaced.addEventListener('abort', () => this.end('stopping'), { once: true });
  }
  /** @param gone the error that says whether the user or the project is gone */
  erase(gone: unknown): void {
    this.reason ??= 'erased';
    this.gone = gone;
    this.controller.abort();
  }
  /** The error of an answer that is not kept for this reason. */
  get error(): unknown {
    if (this.reason === 'erased') return this.gone;
    return this.reason === 'timeout' ? failure('answer_timeout') : failure('service_unavailable');
  }
  clear(): void {
    clearTimeout(this.timer);
  }
  private start(seconds: number): NodeJS.Timeout {
    return setTimeout(() => this.end('timeout'), seconds * 1000);
  }
}

/** An answer in progress: its pieces, then its outcome. */
type Asked = AsyncGenerator<AnswerPiece, AnswerOutcome>;

/** Asks the avatar. */
@Injectable()
export class TurnAnswer {
  private readonly logger = loggerOf(TurnAnswer.name);

  constructor(
    private readonly messages: MessageRepository,
    private readonly questions: MessageQuestions,
    private readonly engines: EngineRegistry,
    private readonly hooks: TurnHooks,
    private readonly quality: Quality,
    private readonly usage: Usage,
    private readonly metrics: TurnMetrics,
    private readonly events: Events,
    private readonly handover: HandoverService,
  ) {}

  /** The latest turns of a user with an avatar, oldest first. */
  async earlier(owner: Owner, avatar_id: string): Promise<EngineExchange[]> {
    const recent = await this.messages.recentAnswers(owner, HISTORY_ANSWERS, true);
    return historyOf({ avatar_id }, saidOnce(recent));
  }

  /**
   * The avatar's answer to a stored message, piece by piece. Ends early when the limit does: `limit.reason` says why.
   *
   * @throws ServiceError `engine_failed`, `service_unavailable`
   * @throws DatabaseUnavailableError
   */
  async *pieces(begun: AskedTurn, limit: TurnLimit): AsyncGenerator<AnswerPiece, void> {
    let length = 0;
    let outcome: AnswerOutcome | undefined;
    const { owner, avatar } = begun;
    void this.events.emitAndWait('turn.answering', { ...owner, avatar_id: avatar._id, name: avatar.name });
    // An answer that only calls functions is empty.
    let hasCalled = false;
    const { caller } = begun;
    const onCalls: CallerFunctions['onCalls'] = (rounds) => {
      hasCalled = true;
      caller?.onCalls(rounds);
    };
    const told = await this.turnOf({ ...begun, ...(caller ? { caller: { ...caller, onCalls } } : {}) }, limit);
    const turn = { ...told, ...(begun.project.handover?.enabled ? { handover: this.handoverOf(begun) } : {}) };
    const asked = this.ask(turn, limit, begun.avatar.care);
    try {
      for (let next = await asked.next(); ; next = await asked.next()) {
        if (next.done) {
          outcome = length > 0 || hasCalled || begun.conversation ? next.value : 'failed';
          break;
        }
        if (next.value === RETRACT) {
          length = 0;
          yield RETRACT;
          continue;
        }
        const piece = cut(next.value, MAX_ANSWER - length);
        length += piece.length;
        if (piece) yield piece;
        if (length < MAX_ANSWER && piece) continue;
        outcome = 'answered';
        break;
      }
    } catch (error) {
      if (limit.signal.aborted || begun.conversation) return;
      outcome = 'failed';
      this.logger.warn({ engine: begun.avatar.engine.kind, ...describeError(error) });
      throw failure(error instanceof EngineBusyError ? 'service_unavailable' : 'engine_failed');
    } finally {
      // Not awaited: an engine that hangs would block everything.
      void asked.return('answered').catch(() => undefined);
      this.count(begun, length, limit, outcome);
    }
    if (length === 0 && !hasCalled && !begun.conversation && !limit.signal.aborted) throw failure('engine_failed');
  }

  /** Whether {@link pieces} answers words of danger, without asking the avatar. */
  async hasDanger(begun: AskedTurn, limit: TurnLimit): Promise<boolean> {
    const turn = await this.turnOf({ ...begun, repeated: false }, limit);
    return (await this.engines.findCareReply(turn, begun.avatar.care)) !== undefined;
  }

  private async turnOf(begun: AskedTurn, limit: TurnLimit): Promise<EngineTurn> {
    const { owner, holders, avatar: entry, outgoing, repeated, recent, client, caller, images, onTokens } = begun;
    const { _id, request, language_code, chat_type, session } = outgoing;
    const [stored, attempt, meter] = await Promise.all([
      recent ?? this.messages.recentAnswers(owner, HISTORY_ANSWERS, begun.project.handover?.enabled),
      repeated ? this.messages.countAttempt(owner, _id) : 1,
      this.usage.meterFor(begun.usedBy),
    ]);
    const answers = saidOnce(stored, begun.deleted);
    return {
      ...owner,
      holders,
      avatar: { ...entry, greetingText: greetingIn(entry, language_code) },
      engine: entry.engine,
      language_code,
      chat_type,
      request,
      history: historyOf(outgoing, answers),
      said: saidBefore(outgoing, answers),
      message_id: _id,
      ...(session === undefined ? {} : { session }),
      ...(client ? { client } : {}),
      ...(images ? { images } : {}),
      ...(caller ? { caller } : {}),
      attempt,
      meter: onTokens ? countedBy(meter, onTokens) : meter,
      signal: limit.signal,
      cite: (sources) => void begun.sources.splice(0, Infinity, ...sources.slice(0, MAX_SOURCES)),
    };
  }

  private handoverOf(begun: AskedTurn): TurnHandover {
    return {
      get isRequested() {
        return begun.conversation !== undefined;
      },
      request: async () => {
        const wish = { state: 'waiting', by: 'avatar' } as const;
        // Before others learn of it: they would silence this answer.
        begun.conversation = { state: 'waiting' };
        try {
          begun.conversation = shownState(await this.handover.change(begun.owner, wish));
        } catch (error) {
          begun.conversation = undefined;
          throw error;
        }
      },
    };
  }

  /** Answers words of danger, or runs the hooks and asks the engine. */
  private async *ask(turn: EngineTurn, limit: TurnLimit, care?: boolean): Asked {
    const careful = await this.engines.findCareReply(turn, care);
    if (careful !== undefined) {
      yield careful;
      return 'answered';
    }
    const { refuse, context } = await this.hooks.before(turn);
    if (refuse !== undefined) {
      yield refuse;
      return 'refused';
    }
    const readers = this.hooks.readersOf(turn);
    const reply = this.askEngine(context === undefined ? turn : { ...turn, context }, limit);
    if (readers.length === 0) return yield* reply;
    let answer = '';
    for (let next = await reply.next(); ; next = await reply.next()) {
      if (!next.done && answer.length < MAX_ANSWER) {
        answer = next.value === RETRACT ? '' : answer + next.value;
        continue;
      }
      if (!next.done) void reply.return('answered').catch(() => undefined);
      if (limit.signal.aborted) return 'failed';
      // What it only calls is none.
      if (answer === '') return next.done ? next.value : 'failed';
      const checked = await this.hooks.after(readers, turn, cut(answer, MAX_ANSWER));
      if (checked === undefined) return 'failed';
      yield checked;
      return next.done ? next.value : 'answered';
    }
  }

  private async *askEngine(turn: EngineTurn, limit: TurnLimit): Asked {
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    const { kind: engine } = turn.engine;
    let hasSpoken = false;
    let reply: AsyncIterator<AnswerPiece, EngineResult | void> | undefined;
    const span = startSpan('ask engine', INTERNAL, { 'avatar_chat.engine': engine });
    const within = <T>(work: () => T): T => (span ? runInTrace(span.trace, work) : work());
    let fault: string | undefined;
    try {
      reply = within(() => this.engines.engineFor(engine).reply(turn)[Symbol.asyncIterator]());
      const stopped = aborted(limit.signal);
      for (;;) {
        const next = await Promise.race([within(() => reply!.next()), stopped]);
        if (limit.signal.aborted || !next) return hasSpoken ? 'answered' : 'failed';
        if (next.done) return next.value?.isAnswered === false ? 'dodged' : 'answered';
        if (next.value !== RETRACT && typeof next.value !== 'string')
          throw new TypeError('An engine returned something that is not text');
        if (!next.value) continue;
        if (!hasSpoken) this.metrics.firstPieceSeconds.observe({ engine }, elapsed());
        hasSpoken = true;
        yield next.value;
      }
    } catch (error) {
      fault = faultOf(error);
      throw error;
    } finally {
      span?.end({}, fault);
      this.metrics.engineSeconds.observe({ engine }, elapsed());
      // Not awaited: an engine that hangs would block everything.
      void Promise.resolve(reply?.return?.()).catch(() => undefined);
    }
  }

  /**
   * A turn that ends before the first word, because the client left or the service stops, counts neither as answered
   * nor as unanswered.
   */
  private count(begun: AskedTurn, length: number, { reason }: TurnLimit, outcome?: AnswerOutcome): void {
    if (reason === 'erased' || (reason && reason !== 'timeout' && length === 0)) return;
    const { owner, project, avatar, outgoing } = begun;
    this.usage.count(begun.usedBy, { turns: 1 });
    const result = reason === 'timeout' ? 'failed' : (outcome ?? 'answered');
    this.quality.count({ project_id: owner.project_id, avatar, language_code: outgoing.language_code }, result);
    if (result === 'dodged' && project.settings.unansweredQuestions)
      void this.questions.mark(owner, outgoing._id).catch(() => undefined);
  }
}

function countedBy(meter: TurnMeter, onTokens: TurnMeter['countTokens']): TurnMeter {
  return {
    ...meter,
    countTokens: (usage) => {
      meter.countTokens(usage);
      onTokens(usage);
    },
  };
}

/** Truncates a text without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
