import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { type Avatar, CatalogueService, CHAT_TYPES, type ChatType, type Offer } from '../catalogue/index.js';
import { Clock } from '../config/index.js';
import { SessionRepository } from '../connection/index.js';
import { FileService, FileUrls, type SavedFile } from '../files/index.js';
import { ServiceError, serviceUnavailable } from '../http/index.js';
import { SpeechError, SpeechService } from '../speech/index.js';
import { MAX_REQUEST } from './chat.errors.js';
import type { Message } from './chat.dto.js';
import { present } from './chat.service.js';
import { AlreadyStored, type Draft, MessageRepository } from './message.repository.js';
import type { MessageDocument } from './message.schema.js';
import { interruptionError, TurnAnswer, TurnLimit } from './turn.answer.js';
import * as errors from './turn.errors.js';
import { TurnMetrics } from './turn.metrics.js';

/** How long a process's word that it asks the avatar holds without being renewed, in milliseconds. */
const CLAIM = 3000;
const CLAIM_RENEWAL = 1000;
/** How often a request looks whether another has got the answer, in milliseconds. */
const LOOK_AGAIN = 100;
/** How long an answer may go on when the service is to stop, in milliseconds. */
const STOP_PATIENCE = 2500;

/** A turn as it was asked for. */
export interface TurnInput {
  owner: Owner;
  avatar_id: string;
  request?: string;
  chat_type?: string;
  language_code?: string;
  session?: string;
  /** The user's recording, which is removed again where the turn does not come about. */
  file?: SavedFile;
  idempotency_key?: string;
}

export type TurnEvent =
  | { event: 'outgoing'; data: Message }
  | { event: 'delta'; data: { text: string } }
  | { event: 'incoming'; data: Message };

/** Whoever hears a turn as it goes on. */
export interface Listener {
  /** Aborted when the listener leaves: the avatar stops, and what it has said so far is its answer. */
  left?: AbortSignal;
}

/** A turn whose message is stored; by an earlier request of the same key, if it is repeated. */
interface BegunTurn {
  owner: Owner;
  offer: Offer;
  outgoing: MessageDocument;
  repeated: boolean;
}

/** One turn: the user's message is stored, the avatar is asked, its answer is stored. */
@Injectable()
export class TurnService implements BeforeApplicationShutdown {
  private readonly running = new Set<TurnLimit>();

  constructor(
    private readonly messages: MessageRepository,
    private readonly answers: TurnAnswer,
    private readonly catalogue: CatalogueService,
    private readonly sessions: SessionRepository,
    private readonly files: FileService,
    private readonly speech: SpeechService,
    private readonly urls: FileUrls,
    private readonly metrics: TurnMetrics,
    private readonly clock: Clock,
  ) {}

  /** @internal */
  beforeApplicationShutdown(): void {
    setTimeout(() => {
      for (const limit of this.running) limit.end('stopping');
    }, STOP_PATIENCE).unref();
  }

  /**
   * Takes a turn. Nothing is stored before the first event.
   *
   * @throws ServiceError, before the first event for what is wrong with the request
   */
  async *take(input: TurnInput, { left }: Listener = {}): AsyncGenerator<TurnEvent, void> {
    const begun = await this.begin(input);
    yield { event: 'outgoing', data: present(begun.outgoing, this.urls) };
    yield* this.answer(begun, left);
  }

  private async begin(input: TurnInput): Promise<BegunTurn> {
    const { owner, file } = input;
    let begun: BegunTurn | undefined;
    try {
      const offer = await this.catalogue.findOffer(owner.project_id);
      if (!offer) throw serviceUnavailable();
      begun = { owner, offer, ...(await this.findOrStore(input, offer)) };
      return begun;
    } finally {
      if (file && begun?.outgoing.file_id !== file.file_id)
        await this.files.remove([file.file_id]).catch(() => undefined);
    }
  }

  /** Checks a turn, and stores its message unless it repeats one. */
  private async findOrStore(input: TurnInput, offer: Offer): Promise<{ outgoing: MessageDocument; repeated: boolean }> {
    const { owner, file, session, idempotency_key } = input;
    const avatar = offer.avatars.find(({ _id }) => _id === input.avatar_id);
    if (!avatar) throw errors.avatarNotFound();
    const chat_type = chatTypeOf(input, offer);
    const language_code = languageOf(input, offer);
    const idempotency_digest = digestOf(input);
    if (idempotency_key !== undefined) {
      const existing = await this.messages.findByKey(owner, idempotency_key);
      if (existing) return { outgoing: sameOrThrow(existing, idempotency_digest), repeated: true };
    }
    if (session !== undefined && !(await this.sessions.isOpen(owner, session, new Date(this.clock.now())))) {
      throw errors.invalidSession();
    }
    const request = input.request ?? (await this.transcribe(offer, language_code, file));
    const draft: Draft = {
      direction: 'outgoing',
      request,
      avatar_id: avatar._id,
      chat_type,
      language_code,
      ...(file ? { file_id: file.file_id } : {}),
      ...(session === undefined ? {} : { session }),
      ...(idempotency_key === undefined
        ? {}
        : { idempotency_key, idempotency_digest, asking_until: this.clock.now() + CLAIM }),
    };
    if (offer.project.settings.greet) await this.greet(owner, avatar, draft);
    try {
      return { outgoing: (await this.messages.append(owner, [draft], this.clock.now()))[0]!, repeated: false };
    } catch (error) {
      if (error instanceof AlreadyStored)
        return { outgoing: sameOrThrow(error.existing, idempotency_digest), repeated: true };
      throw error;
    }
  }

  /** The avatar's greeting, before its first turn with a user. */
  private async greet(
    owner: Owner,
    { _id, name, greetingText }: Avatar,
    { chat_type, language_code, session }: Draft,
  ): Promise<void> {
    if (!greetingText || (await this.messages.hasHeardOf(owner, _id))) return;
    const greeting: Draft = {
      direction: 'incoming',
      request: '',
      answer: greetingText,
      avatar_id: _id,
      avatar_name: name,
      chat_type,
      language_code,
      greets: _id,
      ...(session === undefined ? {} : { session }),
    };
    await this.messages.append(owner, [greeting], this.clock.now()).catch((error: unknown) => {
      if (!(error instanceof AlreadyStored)) throw error;
    });
  }

  private async *answer(begun: BegunTurn, left?: AbortSignal): AsyncGenerator<TurnEvent, void> {
    const { chat_type } = begun.outgoing;
    const limit = new TurnLimit(begun.offer.project.settings.messageTimeoutSeconds);
    const leave = () => limit.end('left');
    if (left?.aborted) leave();
    left?.addEventListener('abort', leave, { once: true });
    this.running.add(limit);
    try {
      const answered = begun.repeated ? await this.awaitAnswer(begun, limit) : null;
      if (answered) {
        yield { event: 'delta', data: { text: answered.answer ?? '' } };
        yield { event: 'incoming', data: present(answered, this.urls) };
        return;
      }
      const incoming = yield* this.ask(begun, limit);
      this.metrics.turns.inc({ chat_type, result: limit.reason ? 'interrupted' : 'answered' });
      if (limit.reason === 'stopping') throw interruptionError('stopping');
      yield { event: 'incoming', data: present(incoming, this.urls) };
    } catch (error) {
      this.metrics.turns.inc({ chat_type, result: error instanceof ServiceError ? error.code : 'internal_error' });
      throw error;
    } finally {
      limit.clear();
      this.running.delete(limit);
      left?.removeEventListener('abort', leave);
    }
  }

  /** Waits while another request of the same key asks the avatar. @returns its answer, or null where it is ours to ask. */
  private async awaitAnswer({ owner, outgoing }: BegunTurn, limit: TurnLimit): Promise<MessageDocument | null> {
    for (;;) {
      const answered = await this.messages.findAnswer(owner, outgoing._id);
      if (answered) return answered;
      const now = this.clock.now();
      if (await this.messages.claim(owner, outgoing._id, now, now + CLAIM)) return null;
      await delay(LOOK_AGAIN);
      if (limit.reason) throw interruptionError(limit.reason);
    }
  }

  private async *ask(begun: BegunTurn, limit: TurnLimit): AsyncGenerator<TurnEvent, MessageDocument> {
    const { owner, offer, outgoing } = begun;
    const claim = this.holdClaim(owner, outgoing);
    let answer = '';
    try {
      for await (const text of this.answers.pieces(owner, offer, outgoing, limit)) {
        answer += text;
        yield { event: 'delta', data: { text } };
      }
      const keptSoFar = limit.reason === 'left' || limit.reason === 'stopping';
      if (limit.reason && !(keptSoFar && answer)) throw interruptionError(limit.reason);
      const file_id = await this.answers.speak(owner, offer, outgoing, answer, limit.signal);
      return await this.storeAnswer(begun, answer, file_id);
    } catch (error) {
      await claim.giveUp();
      throw error;
    } finally {
      claim.letGo();
    }
  }

  private async storeAnswer(
    { owner, offer, outgoing }: BegunTurn,
    answer: string,
    file_id?: string,
  ): Promise<MessageDocument> {
    const { _id, request, avatar_id, chat_type, language_code, session } = outgoing;
    const draft: Draft = {
      direction: 'incoming',
      request,
      answer,
      avatar_id,
      avatar_name: offer.avatars.find((avatar) => avatar._id === avatar_id)?.name ?? avatar_id,
      chat_type,
      language_code,
      answers: _id,
      ...(session === undefined ? {} : { session }),
      ...(file_id === undefined ? {} : { file_id }),
    };
    try {
      return (await this.messages.append(owner, [draft], this.clock.now()))[0]!;
    } catch (error) {
      if (file_id !== undefined) await this.files.remove([file_id]).catch(() => undefined);
      if (error instanceof AlreadyStored) return error.existing;
      throw error;
    }
  }

  /** Renews, while we ask, our word that we do; without a key nobody else would ask. */
  private holdClaim(
    owner: Owner,
    { _id, idempotency_key }: MessageDocument,
  ): { letGo(): void; giveUp(): Promise<void> } {
    if (idempotency_key === undefined) return { letGo: () => undefined, giveUp: async () => undefined };
    const prolong = (until: number) => this.messages.prolong(owner, _id, until).catch(() => undefined);
    const timer = setInterval(() => void prolong(this.clock.now() + CLAIM), CLAIM_RENEWAL);
    const letGo = () => clearInterval(timer);
    return {
      letGo,
      giveUp: async () => {
        letGo();
        await prolong(0);
      },
    };
  }

  private async transcribe({ project }: Offer, language_code: string, file?: SavedFile): Promise<string> {
    if (!file) throw errors.invalidRequest();
    const audio = await this.files.open(file.file_id);
    if (!audio) throw errors.engineFailed();
    const signal = AbortSignal.timeout(project.settings.messageTimeoutSeconds * 1000);
    try {
      const words = await this.speech.transcribe(project.speech, {
        audio,
        content_type: file.content_type,
        language_code,
        signal,
      });
      if (!words) throw errors.noTranscript();
      return words.slice(0, MAX_REQUEST);
    } catch (error) {
      if (error instanceof SpeechError) throw signal.aborted ? errors.answerTimeout() : errors.engineFailed();
      throw error;
    }
  }
}

function chatTypeOf({ chat_type, file }: TurnInput, { project }: Offer): ChatType {
  const wanted = chat_type ?? (file ? 'voice' : 'text');
  const known = CHAT_TYPES.find((type) => type === wanted);
  if (!known || !project.settings.chat_types.includes(known)) throw errors.invalidChatType();
  return known;
}

function languageOf({ language_code }: TurnInput, { languages }: Offer): string {
  const language =
    language_code === undefined ? languages[0] : languages.find((one) => one.language_code === language_code);
  if (!language) throw errors.invalidLanguageCode();
  return language.language_code;
}

function digestOf({ avatar_id, request, chat_type, language_code, session, file }: TurnInput): string {
  const said = [avatar_id, request, chat_type, language_code, session, file?.sha256].map((part) => part ?? null);
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}

function sameOrThrow(existing: MessageDocument, digest: string): MessageDocument {
  if (existing.idempotency_digest !== digest) throw errors.keyReused();
  return existing;
}
