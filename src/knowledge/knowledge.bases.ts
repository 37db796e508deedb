import { Injectable } from '@nestjs/common';
import { unlessAborted } from 'avatar-chat-runtime';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { KnowledgeBase, SourceDocument } from 'avatar-chat-knowledge';
import { Clock, Config } from '../platform/config/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { type BaseName, KnowledgeRepository } from './knowledge.repository.js';
import type { KnowledgeDocument } from './knowledge.schema.js';

/** How often the database is asked whether a base has changed, in milliseconds, while it is used. */
const CHECK_MS = 1000;
/** How long turns wait for a change of a base that is in memory, in milliseconds. */
const CHANGE_MS = 500;
/** Passages that are indexed at a time. */
const SLICE = 40;
// The same from src and from dist.
const SHIPPED = fileURLToPath(new URL('../../catalogue/knowledge', import.meta.url));

interface Loaded {
  readonly base: KnowledgeBase;
  /** By estimate, in bytes. */
  memory: number;
  /** When the database was last asked, by the monotonic clock. */
  checked: number;
  checking?: Promise<void>;
  /** Of a base that has been whole before: aborted when turns do not wait for this check any longer. */
  soon?: AbortSignal;
}

/**
 * The bases in memory, shared by all avatars: loaded when they are first searched, and brought up to date when another
 * process has changed them. The ones that were not used for longest make room for others.
 */
@Injectable()
export class KnowledgeBases {
  private readonly logger = loggerOf(KnowledgeBases.name);
  private readonly loaded = new Map<string, Loaded>();
  private readonly shipped = new Map<string, Promise<KnowledgeBase | undefined>>();

  constructor(
    private readonly repository: KnowledgeRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** A base as it is now, or at most a second ago. @throws DatabaseUnavailableError if it is not in memory */
  async open(name: BaseName): Promise<KnowledgeBase> {
    const key = keyOf(name);
    let loaded = this.loaded.get(key);
    if (!loaded) {
      const { KnowledgeBase } = await import('avatar-chat-knowledge');
      loaded = this.loaded.get(key) ?? { base: new KnowledgeBase(), memory: 0, checked: -Infinity };
    }
    // The one used last stands last.
    this.loaded.delete(key);
    this.loaded.set(key, loaded);
    // That may have begun before a change.
    if (loaded.checking) await this.check(name, loaded);
    if (this.clock.monotonic() - loaded.checked >= CHECK_MS) await this.check(name, loaded);
    return loaded.base;
  }

  /** The same for a turn: what is in memory of a base if loading the rest takes long. */
  async openSoon(name: BaseName, timeout: AbortSignal): Promise<KnowledgeBase | undefined> {
    const opening = this.open(name);
    const { soon = timeout } = this.loaded.get(keyOf(name)) ?? {};
    return (await unlessAborted(opening, soon)) ?? this.loaded.get(keyOf(name))?.base;
  }

  /** The base of a shipped avatar, or undefined. */
  openShipped(base: string): Promise<KnowledgeBase | undefined> {
    const known = this.shipped.get(base);
    if (known) return known;
    const reading = import('avatar-chat-knowledge').then(({ readBase }) => readBase(SHIPPED, base));
    this.shipped.set(base, reading);
    reading.catch(() => this.shipped.delete(base));
    return reading;
  }

  /** A base has been changed by this process: the next question sees it. */
  markChanged(name: BaseName): void {
    const loaded = this.loaded.get(keyOf(name));
    if (loaded) loaded.checked = -Infinity;
  }

  private async check(name: BaseName, loaded: Loaded): Promise<void> {
    if (!loaded.checking && loaded.soon) loaded.soon = AbortSignal.timeout(CHANGE_MS);
    loaded.checking ??= this.update(name, loaded).finally(() => (loaded.checking = undefined));
    try {
      await loaded.checking;
      loaded.soon ??= AbortSignal.abort();
    } catch (error) {
      if (!loaded.soon) {
        this.loaded.delete(keyOf(name));
        throw error;
      }
      // What is in memory still answers.
      this.logger.warn(describeError(error));
    }
  }

  /** Loads what has changed, the smallest first. @param below only what takes less memory, in bytes */
  private async update(name: BaseName, loaded: Loaded, below = Infinity): Promise<void> {
    const { base } = loaded;
    loaded.checked = this.clock.monotonic();
    const documents = await this.repository.list(name);
    const current = new Set(documents.map(({ _id }) => _id));
    base.removeDocuments((document_id) => !current.has(document_id));
    for (const document of documents.sort((a, b) => a.memory - b.memory))
      if (base.has(document.version)) base.setDocument(document.version, sourceOf(document));
      else if (document.memory < below) await this.load(name, loaded, document);
    loaded.memory = documents.reduce((sum, { memory }) => sum + memory, 0);
    this.makeRoom(loaded);
  }

  private async load(name: BaseName, loaded: Loaded, document: KnowledgeDocument): Promise<void> {
    const { title, version, memory, embedded } = document;
    const { base } = loaded;
    try {
      for await (const { passages, vectors } of this.repository.read(name, version)) {
        const all = vectors && vectorsIn(vectors, passages.length);
        for (let at = 0; at < passages.length; at += SLICE) {
          base.addPassages(version, passages.slice(at, at + SLICE), all?.slice(at, at + SLICE), embedded);
          // Indexing takes a millisecond or more for each: a smaller change does not wait for all.
          await yieldToOthers();
          if (this.clock.monotonic() - loaded.checked >= CHECK_MS) await this.update(name, loaded, memory);
        }
      }
      const stored = await this.repository.findByTitle(name, title);
      if (stored?.version === version) base.setDocument(version, sourceOf(stored));
    } finally {
      // Replaced meanwhile, or not read completely: the next check would add its first passages again.
      if (!base.has(version)) base.removeVersion(version);
    }
  }

  private makeRoom(kept: Loaded): void {
    let total = [...this.loaded.values()].reduce((sum, { memory }) => sum + memory, 0);
    for (const [key, loaded] of this.loaded) {
      if (total <= this.config.knowledgeMemoryMb * 1024 * 1024) return;
      if (loaded === kept || loaded.checking) continue;
      total -= loaded.memory;
      this.loaded.delete(key);
    }
  }
}

function keyOf({ project_id, base }: BaseName): string {
  return `${project_id}/${base}`;
}

function sourceOf({ _id: document_id, title, url }: KnowledgeDocument): SourceDocument {
  return { document_id, title, ...(url === undefined ? {} : { url }) };
}

/** As stored: in the byte order of all supported processors. */
function vectorsIn(stored: Buffer | { buffer: Buffer }, count: number): Float32Array[] {
  // Without Mongoose's casts, the driver returns its own type.
  const bytes = Buffer.isBuffer(stored) ? stored : stored.buffer;
  const floats = new Float32Array(new Uint8Array(bytes).buffer);
  const size = floats.length / count;
  return Array.from({ length: count }, (_, at) => floats.subarray(at * size, (at + 1) * size));
}
