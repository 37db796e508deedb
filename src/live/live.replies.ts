import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { greetingIn } from 'avatar-chat-catalogue';
import { type AskedTurn, TurnAnswer, TurnFailures, TurnIntake, TurnLimit, TurnMetrics } from '../chat/index.js';
import { ErasureFences } from '../erasure/index.js';
import { AlreadyStored, type Draft, mayBeStored, type MessageDocument, MessageRecorder } from '../messages/index.js';
import { Clock } from '../platform/config/index.js';
import { newId } from '../platform/database/index.js';
import { asServiceError } from '../platform/errors/index.js';
import { type Asking, type LivePrompt, type LiveTurn, type Reply, TAKEN, TokenCount } from 'avatar-chat-realtime';
import { LateWrites } from './late.writes.js';

const nothing = () => Promise.resolve();
/** The storage of what is stored nowhere. */
const NOT_STORED = { begin: nothing, finish: nothing, withdraw: nothing, truncate: nothing };

/** Answers of live sessions, with the same rules as `POST /chat`. */
@Injectable()
export class LiveReplies {
  constructor(
    private readonly intake: TurnIntake,
    private readonly answers: TurnAnswer,
    private readonly failures: TurnFailures,
    private readonly recorder: MessageRecorder,
    private readonly metrics: TurnMetrics,
    private readonly clock: Clock,
    private readonly late: LateWrites,
    private readonly fences: ErasureFences,
  ) {}

  /** Stores the user's words. @throws ServiceError as `POST /chat` */
  async answer(turn: LiveTurn): Promise<Reply> {
    const { owner, holders, avatar, request, whole, before, chat_type, language_code, session, key, continues } = turn;
    const begun = await this.intake.begin({
      owner,
      holders,
      avatar_id: avatar._id,
      request,
      chat_type,
      language_code,
      idempotency_key: key,
      ...(session === undefined ? {} : { session }),
    });
    if (begun.conversation) return { ...TAKEN, leave: begun.leave };
    const limit = new TurnLimit(begun.project.settings.messageTimeoutSeconds);
    limit.endWhen(begun.displaced);
    const draft: Draft = {
      direction: 'incoming',
      avatar_id: avatar._id,
      avatar_name: avatar.name,
      chat_type,
      language_code,
      ...(continues ? { request: '' } : { request, answers: begun.outgoing._id }),
      ...(session === undefined ? {} : { session }),
    };
    const keeping = this.keeping(owner, holders);
    const words = [before, whole ?? request].filter((part) => part !== undefined).join(' ');
    const told = toldOf(turn);
    const asked: AskedTurn = { ...begun, outgoing: { ...begun.outgoing, request: words }, ...told.asked };
    return {
      ...keeping,
      ...told.reply,
      ...ending(limit),
      begin: (_id, answer) => {
        const { sources, fence, outgoing: last } = begun;
        return keeping.begin({ ...draft, _id, answer, ...(sources.length > 0 ? { sources } : {}) }, { last, fence });
      },
      get isTaken() {
        return asked.conversation !== undefined;
      },
      isCareful: () => this.answers.hasDanger(asked, limit),
      pieces: () => within(limit, this.answers.pieces(asked, limit)),
      leave: (error) => {
        limit.clear();
        begun.leave();
        const result = limit.reason ? 'interrupted' : error === undefined ? 'answered' : asServiceError(error).code;
        this.metrics.turns.inc({ chat_type, result });
        if (error !== undefined && !asked.conversation)
          void this.failures.report(begun, limit.reason, error).catch(() => undefined);
      },
    };
  }

  /** The avatar's greeting. It is stored once, if the project stores greetings. */
  greeting(turn: Omit<LiveTurn, 'request' | 'key'>): Reply {
    const { owner, holders, resolved, avatar, chat_type, language_code, session } = turn;
    const text = greetingIn(avatar, language_code);
    const stores = resolved.project.settings.greet;
    const draft: Draft = {
      direction: 'incoming',
      request: '',
      avatar_id: avatar._id,
      avatar_name: avatar.name,
      chat_type,
      language_code,
      greets: avatar._id,
      ...(session === undefined ? {} : { session }),
    };
    const keeping = this.keeping(owner, holders);
    const limit = new TurnLimit(resolved.project.settings.messageTimeoutSeconds);
    return {
      ...ending(limit),
      ...(stores ? keeping : NOT_STORED),
      begin: (_id, answer) => (stores ? keeping.begin({ ...draft, _id, answer }) : nothing()),
      pieces: () => only(text),
      cue: text ? `Greet the user with exactly these words, and nothing else: ${text}` : 'Greet the user.',
    };
  }

  /** A message that is stored already, to be spoken. */
  message({ resolved }: Pick<LiveTurn, 'resolved'>, text: string): Reply {
    const limit = new TurnLimit(resolved.project.settings.messageTimeoutSeconds);
    return {
      ...ending(limit),
      ...NOT_STORED,
      pieces: () => only(text),
      cue: `Say exactly these words, and nothing else: ${text}`,
    };
  }

  /**
   * An answer to nothing that the user has just said: stored without a request, or not at all.
   *
   * @throws ServiceError `quota_exceeded`
   */
  async prompt({ owner, holders, resolved, avatar, usedBy, request, isStored, ...turn }: LivePrompt): Promise<Reply> {
    const { chat_type, language_code, session, client, images } = turn;
    // What the user says before an erasure is not to come back in an answer.
    const fence = await this.fences.currentFence();
    await this.intake.assertWithinQuota(owner, resolved, avatar, { request, language_code });
    const told = toldOf(turn);
    const common = { avatar_id: avatar._id, chat_type, language_code, ...(session === undefined ? {} : { session }) };
    const draft: Draft = { direction: 'incoming', request: '', avatar_name: avatar.name, ...common };
    const keeping = this.keeping(owner, holders);
    const limit = new TurnLimit(resolved.project.settings.messageTimeoutSeconds);
    const outgoing = { ...common, ...owner, _id: newId(), request, date: this.clock.now() } as MessageDocument;
    const begun = {
      owner,
      holders,
      project: resolved.project,
      avatar,
      usedBy,
      outgoing,
      sources: [],
      repeated: false,
      ...told.asked,
    };
    return {
      ...told.reply,
      ...ending(limit),
      ...(isStored ? keeping : NOT_STORED),
      begin: (_id, answer) => (isStored ? keeping.begin({ ...draft, _id, answer }, { fence }) : nothing()),
      isCareful: () => this.answers.hasDanger(begun, limit),
      ...(client?.instructions ? { cue: client.instructions } : {}),
      ...(request === '' ? {} : { input: request }),
      ...(images ? { images } : {}),
      isOutOfBand: !isStored,
      pieces: () => within(limit, this.answers.pieces(begun, limit)),
    };
  }

  /** The storage of a message. `truncate` outlives the turn, and with it the variables here: thus no texts. */
  private keeping(owner: Owner, holders: readonly string[]) {
    const { recorder, late } = this;
    let isKept = true;
    let isFinished = false;
    const rewrite = async (_id: string, answer: string) => {
      if (isFinished) return recorder.truncate(owner, _id, answer);
      await recorder.finish(owner, _id, answer);
      isFinished = true;
    };
    const write = async (_id: string, act: () => Promise<void>) => {
      if (isKept) await late.run(holders, _id, act);
    };
    const keep = (_id: string, answer: string) => write(_id, () => rewrite(_id, answer));
    return {
      begin: async (message: Draft & { _id: string }, options: Parameters<MessageRecorder['begin']>[3] = {}) => {
        const store = () => recorder.begin(owner, message, this.clock.now(), options);
        try {
          await store().catch(async (error: unknown) => {
            // An earlier attempt at the answer, which has not been removed yet, is in the way.
            if (!(error instanceof AlreadyStored && (await late.hurry(error.existing._id)))) throw error;
            await store();
          });
        } catch (error) {
          if (mayBeStored(error)) late.add(holders, message._id, () => recorder.withdraw(owner, message._id));
          // The user has been greeted before, or another process has answered.
          if (!(error instanceof AlreadyStored)) throw error;
          isKept = false;
        }
      },
      finish: keep,
      withdraw: (_id: string) => write(_id, () => recorder.withdraw(owner, _id)),
      // If it could not be finished, it still has to be published.
      truncate: keep,
    };
  }
}

async function* only(text: string) {
  yield text;
}

/** What the client tells, for the engine and for whoever gives the answer. */
function toldOf({ client, caller, images, deleted }: Asking) {
  const tokens = new TokenCount();
  const calling = caller ? { caller } : {};
  return {
    asked: {
      ...calling,
      onTokens: tokens.add.bind(tokens),
      ...(client ? { client } : {}),
      ...(images ? { images } : {}),
      ...(deleted ? { deleted } : {}),
    },
    reply: { ...calling, tokens },
  };
}

/** How a reply ends, within its time limit. */
function ending(limit: TurnLimit): Pick<Reply, 'relayed' | 'end' | 'erase' | 'leave'> {
  return {
    relayed: (ask) => within(limit, ask(limit.signal)),
    end: () => limit.end('left'),
    erase: (error) => limit.erase(error),
    leave: () => limit.clear(),
  };
}

async function* within<T>(limit: TurnLimit, answer: AsyncIterable<T>): AsyncGenerator<T, void> {
  yield* answer;
  limit.clear();
  if (limit.reason && limit.reason !== 'left') throw limit.error;
}
