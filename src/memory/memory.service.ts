import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { hasSecret, mayBeRemembered, memoriesIn, memoryPrompt } from 'avatar-chat-models';
import { Owner, ownerKey } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { EngineRegistry } from '../engines/index.js';
import { ErasableData, type ErasureFence, ErasureFences, type Subject } from '../erasure/index.js';
import { OnEvent, type ServiceEvent } from '../events/index.js';
import { MESSAGE_ID, MessageRepository } from '../messages/index.js';
import { BackgroundWork } from '../platform/background/index.js';
import { Clock } from '../platform/config/index.js';
import { newId } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { Usage } from '../quality/index.js';
import type { ExportedMemory, Memory } from './memory.dto.js';
import { MemoryImport } from './memory.import.js';
import { MemoryRepository } from './memory.repository.js';
import type { MemoryDocument } from './memory.schema.js';

const HOUR_MS = 3_600_000;
/** Timeout of the model. */
const MODEL_TIMEOUT_MS = 30_000;
/** How long a turn of another process may take: then that has crashed, or is frozen, and has lost the lock; */
const LOCK_MS = MODEL_TIMEOUT_MS + 5000;
/** how long a turn waits for those of others, and how often it looks. */
const [MAX_WAIT_MS, POLL_MS] = [4 * LOCK_MS, 500];
/** How long a request to the model goes on when the service stops, which waits for twice that. */
const STOP_MS = 1000;
/** Users whose facts are looked for at the same time, and turns that wait; further ones are not looked at. */
const MAX_RUNNING = 50;
/** Turns of one user that wait. */
const MAX_WAITING = 3;

/** What a turn said, as far as it matters here. */
interface Told {
  readonly request: string;
  readonly avatar_id: string;
  readonly language_code: string;
  /** Removed when the user's memories are. */
  readonly mark: string;
}

/** Remembers lasting facts that users said of themselves, in projects that want it. */
@Injectable()
export class Memories extends ErasableData implements BeforeApplicationShutdown {
  readonly name = 'memories';
  private readonly logger = loggerOf(Memories.name);
  private readonly waiting = new Map<string, Told[]>();
  private readonly givingUp = new AbortController();
  private isStopping = false;

  constructor(
    private readonly repository: MemoryRepository,
    private readonly catalogue: CatalogueService,
    private readonly engines: EngineRegistry,
    private readonly fences: ErasureFences,
    private readonly usage: Usage,
    private readonly messages: MessageRepository,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    super();
    background.add({ name: this.name, everyMs: HOUR_MS, run: (goesOn) => this.sweep(goesOn) });
  }

  /** @internal A lock that is left would make other processes wait. */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    setTimeout(() => this.givingUp.abort(), STOP_MS).unref();
  }

  /** Newest first. */
  async list({ project_id, user_id }: Owner): Promise<Memory[]> {
    const found = await this.repository.list({ project_id, user_id }, await this.since(project_id));
    return found.map(({ _id, text, created }) => ({ memory_id: _id, text, created }));
  }

  /** @throws ServiceError `memory_not_found` */
  async remove(owner: Owner, memory_id: string): Promise<void> {
    const removed = MESSAGE_ID.test(memory_id) ? await this.repository.remove(owner, [memory_id]) : 0;
    if (removed === 0) throw failure('memory_not_found');
  }

  /** Those of a user, or of all users of a project. */
  async *export(project_id: string, user_id?: string): AsyncGenerator<{ memory: ExportedMemory }> {
    for await (const { _id, ...memory } of this.repository.all(project_id, user_id))
      yield { memory: { memory_id: _id, ...memory } };
  }

  /** Begins an import of exported memories. @param fence of erasures; omitted: nothing is stored */
  startImport(fence?: ErasureFence): MemoryImport {
    return new MemoryImport(this.repository, this.fences, fence);
  }

  /** @internal An answer was stored: its turn may say something of the user. */
  @OnEvent('message.created')
  async onMessage({ data }: ServiceEvent<'message.created'>): Promise<void> {
    const { direction, project_id, user_id, request, avatar_id, language_code } = data;
    if (this.isStopping || direction !== 'incoming' || request.trim() === '' || hasSecret(request)) return;
    const project = await this.catalogue.findProject(project_id);
    if (!project?.settings.memory) return;
    const owner = new Owner(project_id, user_id);
    // From here on, what the user forgets is not found.
    const [mark, key] = [newId(), ownerKey(owner)];
    const [message] = await Promise.all([
      this.messages.find(owner, data._id),
      this.repository.addMark(owner, mark, this.clock.now()),
    ]);
    const waiting = this.waiting.get(key);
    const isFull = waiting ? waiting.length >= MAX_WAITING : this.waiting.size >= MAX_RUNNING;
    // Reminders, people's messages and greetings carry an old request.
    if (message?.answers === undefined || isFull) return this.repository.removeMark(owner, mark);
    const told = { request, avatar_id, language_code, mark };
    if (waiting) return void waiting.push(told);
    const queue = [told];
    this.waiting.set(key, queue);
    for (let next = queue[0]; next; queue.shift(), next = queue[0]) {
      await this.lookFor(owner, next).catch((error: unknown) =>
        this.logger.warn({ memories: 'were not looked for', ...describeError(error) }),
      );
      // Otherwise it expires.
      await this.repository.removeMark(owner, next.mark).catch(() => undefined);
    }
    this.waiting.delete(key);
  }

  override eraseUser(owner: Owner): Promise<number> {
    return this.repository.remove(owner);
  }

  override eraseProject(project_id: string): Promise<number> {
    return this.repository.removeProject(project_id);
  }

  /** What was stored after an erasure, by a process that crashed then or lost the database. */
  override eraseLeftovers({ project_id, user_id }: Subject, erasure: ErasureFence): Promise<void> {
    return this.repository.removeBefore({ project_id, ...(user_id === undefined ? {} : { user_id }) }, erasure);
  }

  /** Removes those that are older than their projects keep them, whatever becomes of messages. */
  private async sweep(goesOn: () => boolean): Promise<void> {
    for (const { project_id, settings } of await this.catalogue.listProjects())
      if (settings.retentionDays > 0 && goesOn())
        await this.repository.removeProject(project_id, await this.since(project_id));
  }

  /** Waits while another process looks for facts of the user. @returns false if that takes too long */
  private async lock(owner: Owner, mark: string): Promise<boolean> {
    const begun = this.clock.monotonic();
    let [holder, since] = ['', begun];
    while (holder || !(await this.repository.addMark(owner, mark, this.clock.now(), ownerKey(owner)))) {
      await delay(POLL_MS, undefined, { ref: false });
      const [found = '', now] = [await this.repository.findHolder(owner), this.clock.monotonic()];
      if (this.isStopping || now - begun > MAX_WAIT_MS) return false;
      if (found !== holder) [holder, since] = [found, now];
      // Without its mark, it stores nothing.
      else if (now - since >= LOCK_MS) await this.repository.removeMark(owner, holder);
    }
    return true;
  }

  private async lookFor(owner: Owner, { request, avatar_id, language_code, mark }: Told): Promise<void> {
    const { project_id, user_id } = owner;
    if (this.isStopping || !(await this.lock(owner, mark))) return;
    const fence = await this.fences.currentFence();
    const { project, avatars } = await this.catalogue.resolvedProject(project_id);
    const avatar = avatars.find(({ _id }) => _id === avatar_id);
    if (!avatar || (await this.usage.isExhausted(owner, project))) return;
    const known = await this.list(owner);
    const texts = known.map(({ text }) => text);
    const tokens = avatar.engine.context_tokens as number | undefined;
    const { messages, shown } = memoryPrompt(request, texts, project.settings.memory === 'all', tokens);
    const signal = AbortSignal.any([AbortSignal.timeout(MODEL_TIMEOUT_MS), this.givingUp.signal]);
    const meter = await this.usage.meterFor({ owner, project, avatar_id, engine: this.engines.kindOf(avatar.engine) });
    const answer = await this.engines.complete(avatar.engine, messages, { signal, meter });
    const said = { avatar: { name: '' }, engine: avatar.engine, history: [], language_code };
    const added: MemoryDocument[] = [];
    const replaced = new Set<string>();
    for (const { text, replaces } of memoriesIn(answer ?? '', shown)) {
      if (!mayBeRemembered(text) || (await this.engines.findCareReply({ ...said, request: text }, true))) continue;
      const says = (one: { readonly text: string }) => one.text.toLowerCase() === text.toLowerCase();
      const same = known.findIndex(says);
      if (same >= 0 && replaces.length === 0) continue;
      for (const number of [...replaces, same + 1]) if (number > 0) replaced.add(known[number - 1]!.memory_id);
      if (added.some(says)) continue;
      added.push({ _id: newId(), project_id, user_id, text, created: this.clock.now(), begun: fence });
    }
    await this.store(owner, fence, mark, added, known, replaced);
  }

  private async store(
    owner: Owner,
    fence: ErasureFence,
    mark: string,
    added: readonly MemoryDocument[],
    known: readonly Memory[],
    replaced: ReadonlySet<string>,
  ): Promise<void> {
    if (added.length === 0 || !(await this.catalogue.findProject(owner.project_id))?.settings.memory) return;
    await this.repository.add(added);
    const undo = () => this.repository.remove(owner, added.map(({ _id }) => _id)); // prettier-ignore
    await this.fences.assertNotErased(owner, fence).catch(async (error: unknown) => {
      await undo();
      throw error;
    });
    // The user, or an operator, has forgotten some meanwhile: what was said before may be just that.
    const ids = [mark, ...known.map(({ memory_id }) => memory_id)];
    if ((await this.repository.count(owner, ids)) < ids.length) return void (await undo());
    if (replaced.size > 0) await this.repository.remove(owner, [...replaced]);
    await this.repository.removeOldest(owner);
  }

  /** Memories that are older are not kept. */
  private async since(project_id: string): Promise<number> {
    const days = (await this.catalogue.findProject(project_id))?.settings.retentionDays ?? 0;
    return days > 0 ? this.clock.now() - days * 24 * HOUR_MS : 0;
  }
}
