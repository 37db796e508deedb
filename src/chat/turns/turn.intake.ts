import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../../auth/index.js';
import { type Avatar, CHAT_TYPES, type ChatType, greetingIn, type ResolvedProject } from 'avatar-chat-catalogue';
import { CatalogueService, chosenAvatar, chosenLanguage } from '../../catalogue/index.js';
import { Clock } from '../../platform/config/index.js';
import { SessionRepository } from '../../connection/index.js';
import { EngineRegistry } from '../../engines/index.js';
import { type ErasureFence, ErasureFences } from '../../erasure/index.js';
import { FileService, type SavedFile } from '../../files/index.js';
import { SpeechBusyError, SpeechError } from 'avatar-chat-media';
import { SpeechService } from '../../speech/index.js';
import { MAX_REQUEST } from 'avatar-chat-models';
import {
  AlreadyStored,
  type Draft,
  mayBeStored,
  MessageRecorder,
  MessageRepository,
  type MessageDocument,
} from '../../messages/index.js';
import { type ConversationShown, HandoverService, shownState, WITH_AVATAR } from '../../handover/index.js';
import { type UsedBy, Usage } from '../../quality/index.js';
import { failure } from '../../platform/errors/index.js';
import { findStored } from '../stored.request.js';
import type { BegunTurn } from './turn.answer.js';
import { HISTORY_ANSWERS } from './turn.history.js';
import { LEASE_MS } from './turn.leases.js';
import { TurnSlots } from './turn.slots.js';

/** A turn as requested. */
export interface TurnInput {
  owner: Owner;
  /** Who takes a share of what users have in common: the user, then possibly the address. By default, the user. */
  holders?: readonly string[];
  avatar_id: string;
  request?: string;
  chat_type?: string;
  language_code?: string;
  session?: string;
  /** The user's recording, which is removed again if the turn is rejected. */
  file?: SavedFile;
  idempotency_key?: string;
  /** When the turn began; by default, now. Data erased since then is not stored again. */
  fence?: ErasureFence;
}

/** What a repeated turn came to: an answer, unless a person has the conversation. */
export interface TurnResult extends Pick<BegunTurn, 'outgoing' | 'conversation'> {
  answered: MessageDocument | null;
}

/** A turn whose message is stored, before anybody answers. */
type StoredTurn = Pick<BegunTurn, 'owner' | 'project' | 'avatar' | 'outgoing' | 'fence'>;
type HeldInput = TurnInput & Required<Pick<TurnInput, 'holders'>> & Pick<BegunTurn, 'displaced'>;

/** The first half of a turn: validates and stores the user's message. */
@Injectable()
export class TurnIntake {
  constructor(
    private readonly messages: MessageRepository,
    private readonly recorder: MessageRecorder,
    private readonly catalogue: CatalogueService,
    private readonly sessions: SessionRepository,
    private readonly files: FileService,
    private readonly speech: SpeechService,
    private readonly fences: ErasureFences,
    private readonly engines: EngineRegistry,
    private readonly usage: Usage,
    private readonly slots: TurnSlots,
    private readonly handover: HandoverService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the user's message, or finds it if the turn is a repetition. Rejected turns leave no file. Call the turn's
   * `leave` when it is over.
   *
   * @throws ServiceError if the request is invalid
   */
  async begin(input: TurnInput): Promise<BegunTurn> {
    const { owner, file, holders = [ownerKey(owner)] } = input;
    const displacing = new AbortController();
    let begun: BegunTurn | undefined;
    let leave: (() => void) | undefined;
    let keepsFile = false;
    try {
      leave = this.slots.acquire(holders, () => displacing.abort());
      const resolved = await this.catalogue.resolvedProject(owner.project_id);
      const fence = input.fence ?? (await this.fences.currentFence());
      const avatar = chosenAvatar(resolved, input.avatar_id);
      const { project } = resolved;
      const usedBy = { owner, project, avatar_id: avatar._id, engine: this.engines.kindOf(avatar.engine) };
      const taken = { holders, leave, displaced: displacing.signal };
      const found = await this.findOrStore({ ...input, ...taken }, resolved, avatar, usedBy, fence);
      begun = { owner, project, avatar, usedBy, fence, sources: [], ...taken, ...found };
      return begun;
    } catch (error) {
      keepsFile = mayBeStored(error);
      throw error;
    } finally {
      if (!begun) leave?.();
      if (file && !keepsFile && begun?.outgoing.file_id !== file.file_id)
        await this.files.remove([file.file_id]).catch(() => undefined);
    }
  }

  /**
   * Finds what a turn came to that is repeated after its avatar, language or chat type has left the project.
   *
   * @throws `error`, with which the repetition was rejected, if there is nothing else
   */
  async findResult(input: TurnInput, error: unknown): Promise<TurnResult> {
    const { owner, idempotency_key } = input;
    const key = { idempotency_key, idempotency_digest: digestOf(input) };
    const outgoing = await findStored(this.messages, owner, key, error);
    const answered = await this.messages.findAnswer(owner, outgoing._id);
    if (!answered && !outgoing.conversation) throw error;
    return { outgoing, answered, conversation: outgoing.conversation };
  }

  /** Marks a message that the avatar is not to answer. @returns who has the conversation then */
  async markTaken(turn: StoredTurn, known?: ConversationShown): Promise<ConversationShown | undefined> {
    const { owner, project, outgoing } = turn;
    const conversation = known ?? (await this.handover.current(owner, project));
    if (conversation.state === 'avatar') return undefined;
    if (conversation.state === 'waiting') await this.sayCare(turn);
    await this.messages.markHandedOver(owner, outgoing._id, shownState(conversation));
    return shownState(conversation);
  }

  /** Says what the scripts have for words of danger, as nobody answers, whatever was said before. */
  private async sayCare({ owner, avatar, outgoing, fence }: StoredTurn): Promise<void> {
    const { engine, care = true } = avatar;
    const answer = await this.engines.findCareReply({ ...outgoing, avatar, engine, history: [] }, care);
    if (answer === undefined) return;
    const { _id, request, chat_type, language_code } = outgoing;
    await this.handover.say(owner, avatar, { key: `care ${_id}`, request, answer, chat_type, language_code }, fence);
  }

  /** Validates a turn, and stores its message unless it is a repetition. */
  private async findOrStore(
    input: HeldInput,
    resolved: ResolvedProject,
    avatar: Avatar,
    usedBy: UsedBy,
    fence: ErasureFence,
  ): Promise<Pick<BegunTurn, 'outgoing' | 'repeated' | 'recent' | 'conversation' | 'heard'>> {
    const { owner, file, session, idempotency_key } = input;
    const chat_type = chatTypeOf(input, resolved);
    const language_code = chosenLanguage(resolved, input.language_code);
    const idempotency_digest = digestOf(input);
    if (idempotency_key !== undefined) {
      const existing = await this.messages.findByKey(owner, idempotency_key);
      if (existing) return repetitionOf(existing, idempotency_digest);
    }
    if (session !== undefined && !(await this.sessions.isOpen(owner, session, new Date(this.clock.now())))) {
      throw failure('invalid_session');
    }
    let heard: string | undefined;
    const onLanguage = (language?: string) => void (heard = language);
    const request = input.request ?? (await this.transcribe(input, usedBy, resolved, language_code, onLanguage));
    await this.assertWithinQuota(owner, resolved, avatar, { request, language_code });
    if (input.displaced.aborted) throw failure('service_unavailable');
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
        : { idempotency_key, idempotency_digest, lease_until: this.clock.now() + LEASE_MS }),
    };
    if (resolved.project.settings.greet) await this.greet(owner, avatar, draft, fence);
    try {
      let recent: BegunTurn['recent'];
      let conversation = WITH_AVATAR;
      const [outgoing] = await this.recorder.append(owner, [draft], this.clock.now(), {
        fence,
        meanwhile: async () => {
          [recent, conversation] = await Promise.all([
            this.messages.recentAnswers(owner, HISTORY_ANSWERS, resolved.project.handover?.enabled),
            this.handover.current(owner, resolved.project),
          ]);
        },
      });
      const stored = { outgoing: outgoing!, repeated: false, recent, heard };
      const turn = { owner, project: resolved.project, avatar, outgoing: outgoing!, fence };
      return { ...stored, conversation: await this.markTaken(turn, conversation) };
    } catch (error) {
      if (error instanceof AlreadyStored) return repetitionOf(error.existing, idempotency_digest);
      throw error;
    }
  }

  /** Danger is answered and a person reached even then, as no model is asked. @throws ServiceError `quota_exceeded` */
  async assertWithinQuota(
    owner: Owner,
    { project }: ResolvedProject,
    avatar: Avatar,
    said: { request: string; language_code: string },
  ): Promise<void> {
    const { engine, care } = avatar;
    if (!project.settings.tokensPerUserAndDay || !this.engines.needsModel(engine)) return;
    if (!(await this.usage.isExhausted(owner, project))) return;
    if ((await this.handover.current(owner, project)).state !== 'avatar') return;
    if ((await this.engines.findCareReply({ ...said, avatar, engine, history: [] }, care)) !== undefined) return;
    throw failure('quota_exceeded', this.usage.secondsLeftToday);
  }

  /** Stores the avatar's greeting before its first turn with a user. */
  private async greet(
    owner: Owner,
    avatar: Avatar,
    { chat_type, language_code, session }: Draft,
    fence: ErasureFence,
  ): Promise<void> {
    const { _id, name } = avatar;
    const answer = greetingIn(avatar, language_code);
    if (!answer || (await this.messages.hasMessagesFrom(owner, _id))) return;
    const said = { request: '', answer, chat_type, language_code, ...(session === undefined ? {} : { session }) };
    const greeting: Draft = { direction: 'incoming', avatar_id: _id, avatar_name: name, greets: _id, ...said };
    await this.recorder.appendOnce(owner, greeting, this.clock.now(), { fence });
  }

  private async transcribe(
    { file, holders, displaced }: HeldInput,
    usedBy: UsedBy,
    { project }: ResolvedProject,
    language_code: string,
    onLanguage: (language?: string) => void,
  ): Promise<string> {
    if (!file) throw failure('invalid_request', MAX_REQUEST);
    const audio = await this.files.open(file.file_id);
    if (!audio) throw failure('engine_failed');
    const late = AbortSignal.timeout(project.settings.messageTimeoutSeconds * 1000);
    const signal = AbortSignal.any([late, displaced]);
    try {
      const words = await this.speech.transcribe(project.speech, {
        audio,
        content_type: file.content_type,
        language_code,
        holders,
        onHeard: (seconds_heard, language) => {
          onLanguage(language);
          this.usage.count(usedBy, { seconds_heard });
        },
        signal,
      });
      if (!words) throw failure('no_transcript');
      return [...words].slice(0, MAX_REQUEST).join('');
    } catch (error) {
      if (error instanceof SpeechBusyError) throw failure('service_unavailable');
      if (displaced.aborted) throw failure('service_unavailable');
      if (error instanceof SpeechError) throw late.aborted ? failure('answer_timeout') : failure('engine_failed');
      throw error;
    }
  }
}

function chatTypeOf({ chat_type, file }: TurnInput, { project }: ResolvedProject): ChatType {
  const wanted = chat_type ?? (file ? 'voice' : 'text');
  const known = CHAT_TYPES.find((type) => type === wanted);
  if (!known || !project.settings.chat_types.includes(known)) throw failure('invalid_chat_type');
  return known;
}

function digestOf({ avatar_id, request, chat_type, language_code, session, file }: TurnInput): string {
  const said = [avatar_id, request, chat_type, language_code, session, file?.sha256].map((part) => part ?? null);
  return hash('sha256', JSON.stringify(said), 'base64url');
}

/** @throws ServiceError `idempotency_key_reused` */
function repetitionOf(
  outgoing: MessageDocument,
  digest: string,
): Pick<BegunTurn, 'outgoing' | 'repeated' | 'conversation'> {
  if (outgoing.idempotency_digest !== digest) throw failure('idempotency_key_reused');
  const { conversation } = outgoing;
  return { outgoing, repeated: true, ...(conversation ? { conversation } : {}) };
}
