import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock, Config } from '../../platform/config/index.js';
import { isDatabaseUnavailable } from '../../platform/database/index.js';
import { RETRACT } from 'avatar-chat-models';
import { merge } from 'avatar-chat-runtime';
import { isGone } from '../../erasure/index.js';
import { type ConversationShown, HandoverService } from '../../handover/index.js';
import { FileService, FileUrls } from '../../files/index.js';
import { ServiceError } from '../../platform/errors/index.js';
import { remainingMs } from '../../platform/http/index.js';
import {
  type Message,
  type MessageSources,
  present,
  AlreadyStored,
  type Draft,
  mayBeStored,
  MessageRecorder,
  type MessageDocument,
} from '../../messages/index.js';
import { type BegunTurn, TurnAnswer, TurnLimit } from './turn.answer.js';
import { TurnErasures } from './turn.erasures.js';
import { TurnIntake, type TurnInput } from './turn.intake.js';
import { MIN_WAIT_SECONDS, TurnLeases } from './turn.leases.js';
import { TurnFailures } from './turn.failures.js';
import { TurnMetrics } from './turn.metrics.js';
import type { SpokenSentence } from './turn.dto.js';
import { type StreamedSpeech, TurnSpeech } from './turn.speech.js';

export type TurnEvent =
  | { event: 'outgoing'; data: Message }
  /** The language of the recording, if the transcriber's model chose it. */
  | { event: 'transcript'; data: { language: string } }
  | { event: 'delta'; data: { text: string } }
  | { event: 'audio'; data: SpokenSentence }
  /** A person answers from now on, or the first request with the same key was interrupted: the answer is not whole. */
  | { event: 'interrupted'; data: { message_id: string } }
  /** The parts of documents that the answer is from, if there are any. */
  | { event: 'sources'; data: MessageSources }
  /** A person answers, later: the last event. */
  | { event: 'conversation'; data: ConversationShown }
  | { event: 'incoming'; data: Message };

/** The events of an answer in progress. */
type Produced = AsyncGenerator<TurnEvent | typeof RETRACT, void>;

/** The listener of a turn in progress. */
export interface Listener {
  /** Aborted when the listener leaves: the avatar stops, and its words so far become the answer. */
  left?: AbortSignal;
  /** Whether it wants the answer sentence by sentence: the `audio` events of voice and video turns. */
  sentences?: boolean;
  /** It sees nothing before the whole answer: if a person answers by then, there is none. */
  isPatient?: boolean;
}

/** A turn: stores the user's message, asks the avatar, stores its answer. */
@Injectable()
export class TurnService implements BeforeApplicationShutdown {
  private readonly running = new Set<TurnLimit>();

  constructor(
    private readonly recorder: MessageRecorder,
    private readonly intake: TurnIntake,
    private readonly leases: TurnLeases,
    private readonly answers: TurnAnswer,
    private readonly speech: TurnSpeech,
    private readonly files: FileService,
    private readonly urls: FileUrls,
    private readonly metrics: TurnMetrics,
    private readonly failures: TurnFailures,
    private readonly erasures: TurnErasures,
    private readonly handover: HandoverService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @internal */
  beforeApplicationShutdown(): void {
    setTimeout(() => {
      for (const limit of this.running) limit.end('stopping');
    }, remainingMs(this.config.shutdownMs)).unref();
  }

  /**
   * Runs a turn. Nothing is stored before the first event.
   *
   * @throws ServiceError, before the first event, if the request is invalid
   */
  async *runTurn(input: TurnInput, listener: Listener = {}): AsyncGenerator<TurnEvent, void> {
    const begun = await this.intake.begin(input).catch((error: unknown) => this.intake.findResult(input, error));
    try {
      yield { event: 'outgoing', data: present(begun.outgoing, this.urls) };
      if ('heard' in begun && begun.heard) yield { event: 'transcript', data: { language: begun.heard } };
      if (begun.conversation) yield { event: 'conversation', data: begun.conversation };
      else if ('answered' in begun) yield* this.repeat(begun.answered!);
      else yield* this.answer(begun, listener);
    } finally {
      if ('leave' in begun) begun.leave();
    }
  }

  private *repeat(answered: MessageDocument): Generator<TurnEvent, void> {
    if (answered.interrupted) yield { event: 'interrupted', data: { message_id: answered._id } };
    yield { event: 'delta', data: { text: answered.answer! } };
    if (answered.sources?.length) yield { event: 'sources', data: { sources: answered.sources } };
    yield { event: 'incoming', data: present(answered, this.urls) };
  }

  private async *answer(begun: BegunTurn, listener: Listener): AsyncGenerator<TurnEvent, void> {
    const { owner, fence, outgoing } = begun;
    const { chat_type } = outgoing;
    const { left } = listener;
    const seconds = begun.project.settings.messageTimeoutSeconds;
    const limit = new TurnLimit(begun.repeated ? Math.max(seconds, MIN_WAIT_SECONDS) : seconds);
    const leave = () => limit.end('left');
    if (left?.aborted) leave();
    left?.addEventListener('abort', leave, { once: true });
    limit.endWhen(begun.displaced);
    this.running.add(limit);
    const unwatch = this.erasures.watch({ owner, fence, onGone: (error) => limit.erase(error) });
    let result: string | undefined;
    try {
      const answered = begun.repeated ? await this.leases.awaitAnswer(begun, limit) : null;
      if (answered) return yield* this.repeat(answered);
      if (begun.repeated) begun.conversation ??= await this.intake.markTaken(begun);
      if (begun.conversation) {
        yield { event: 'conversation', data: begun.conversation };
        return;
      }
      if (begun.repeated) limit.restart(seconds);
      const incoming = yield* this.ask(begun, limit, listener);
      result = limit.reason ? 'interrupted' : 'answered';
      if (limit.reason === 'stopping') throw limit.error;
      if (!incoming) {
        yield { event: 'conversation', data: begun.conversation! };
        return;
      }
      if (incoming.sources?.length) yield { event: 'sources', data: { sources: incoming.sources } };
      if (incoming.interrupted && limit.reason === 'taken')
        yield { event: 'interrupted', data: { message_id: incoming._id } };
      yield { event: 'incoming', data: present(incoming, this.urls) };
    } catch (error) {
      result ??= error instanceof ServiceError ? error.code : 'internal_error';
      throw error;
    } finally {
      if (result !== undefined) this.metrics.turns.inc({ chat_type, result });
      limit.clear();
      unwatch();
      this.running.delete(limit);
      left?.removeEventListener('abort', leave);
    }
  }

  private async *ask(
    begun: BegunTurn,
    limit: TurnLimit,
    { sentences, isPatient }: Listener,
  ): AsyncGenerator<TurnEvent, MessageDocument | undefined> {
    const { owner, outgoing } = begun;
    const spoken = sentences ? this.speech.stream(begun, limit.signal) : undefined;
    const lease = this.leases.hold(owner, outgoing);
    const unwatch = this.handover.watchConversation(begun, () => limit.end('taken'));
    let answer = '';
    try {
      for await (const event of this.produce(begun, limit, spoken)) {
        if (event === RETRACT) {
          answer = '';
          continue;
        }
        if (event.event === 'delta') answer += event.data.text;
        yield event;
      }
      const { reason } = limit;
      const isKept = !reason || (answer && reason !== 'timeout' && reason !== 'erased');
      const speak = async () => (await spoken?.whole()) ?? (await this.speech.whole(begun, answer, limit.signal));
      const file_id = isKept ? await speak() : undefined;
      if (begun.conversation && reason !== 'erased' && (!answer || (isPatient && limit.reason === 'taken'))) {
        await this.intake.markTaken(begun, begun.conversation);
        return undefined;
      }
      if (!isKept) throw limit.error;
      return await this.storeAnswer(begun, answer, reason !== undefined, file_id);
    } catch (error) {
      const discarded = isGone(error) && spoken?.discard();
      const cleanup = Promise.all([lease.release(), discarded, this.failures.report(begun, limit.reason, error)]);
      // If the database is unavailable, both would only delay the error.
      if (!isDatabaseUnavailable(error)) await cleanup;
      throw error;
    } finally {
      unwatch();
      lease.stop();
    }
  }

  /** The answer, piece by piece, with its spoken sentences if requested. */
  private produce(begun: BegunTurn, limit: TurnLimit, spoken?: StreamedSpeech): Produced {
    const pieces = this.answers.pieces(begun, limit);
    async function* deltas(): Produced {
      for await (const text of pieces) {
        spoken?.push(text);
        if (text === RETRACT) yield text;
        else yield { event: 'delta', data: { text } };
      }
      limit.complete();
      spoken?.end();
    }
    async function* audio(): Produced {
      for await (const data of spoken!.events()) yield { event: 'audio', data };
    }
    return spoken ? merge(deltas(), audio()) : deltas();
  }

  private async storeAnswer(
    { owner, avatar, outgoing, fence, sources }: BegunTurn,
    answer: string,
    isInterrupted: boolean,
    file_id?: string,
  ): Promise<MessageDocument> {
    const { _id, request, avatar_id, chat_type, language_code, session } = outgoing;
    const draft: Draft = {
      direction: 'incoming',
      request,
      answer,
      avatar_id,
      avatar_name: avatar.name,
      chat_type,
      language_code,
      answers: _id,
      ...(isInterrupted ? { interrupted: true } : {}),
      ...(sources.length > 0 ? { sources } : {}),
      ...(session === undefined ? {} : { session }),
      ...(file_id === undefined ? {} : { file_id }),
    };
    try {
      return (await this.recorder.append(owner, [draft], this.clock.now(), { last: outgoing, fence }))[0]!;
    } catch (error) {
      if (file_id !== undefined && !mayBeStored(error)) await this.files.remove([file_id]).catch(() => undefined);
      if (error instanceof AlreadyStored) return error.existing;
      throw error;
    }
  }
}
