import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Passage } from 'avatar-chat-knowledge';
import { type Model, trusted } from 'mongoose';
import { Database, isDuplicateKey, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { KnowledgeDocument, KnowledgePassages } from './knowledge.schema.js';

/** A base belongs to a project: the same name in another project is another base. */
export interface BaseName {
  readonly project_id: string;
  readonly base: string;
}

/** The passages of a document, with their embeddings if there are any. */
export interface Content {
  readonly passages: readonly Passage[];
  readonly vectors?: readonly Float32Array[];
}

/** Passages in one database document: the larger their embeddings, the fewer. */
const PART_BYTES = 2 * 1024 * 1024;
const MAX_PART = 200;
/** Passages to which no document refers after this time, in milliseconds, are those of an addition that failed. */
const ABANDONED_MS = 3_600_000;

/** Where the versions of a base's passages are noted: no base has such a name. */
const noteOf = (base: string) => `${base} versions`;

/** Documents and their passages, always of one project. */
@Injectable()
export class KnowledgeRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(KnowledgeDocument.name) private readonly documents: Model<KnowledgeDocument>,
    @InjectModel(KnowledgePassages.name) private readonly passages: Model<KnowledgePassages>,
  ) {}

  /** The documents of a base, by title. */
  list({ project_id, base }: BaseName): Promise<KnowledgeDocument[]> {
    return this.database.run(() => this.documents.find({ project_id, base }).sort({ title: 1 }).lean());
  }

  /** The names of a project's bases, in order. */
  async bases(project_id: string): Promise<string[]> {
    return (await this.database.run(() => this.documents.distinct('base', { project_id }))).sort();
  }

  findByTitle({ project_id, base }: BaseName, title: string): Promise<KnowledgeDocument | null> {
    return this.database.run(() => this.documents.findOne({ project_id, base, title }).lean());
  }

  async setUrl({ project_id, base }: BaseName, _id: string, url: string): Promise<void> {
    await this.database.run(() => this.documents.updateOne({ _id, project_id, base }, { $set: { url } }));
  }

  /** Stores passages, which nobody reads until a document has their version. */
  async insertPassages(name: BaseName, version: string, content: Content, now: number): Promise<void> {
    const note = { ...name, base: noteOf(name.base), version, part: 0, passages: [], created: now };
    await this.database.run(() => this.passages.create(note));
    const size = Math.max(1, Math.min(MAX_PART, Math.floor(PART_BYTES / (content.vectors?.[0]?.byteLength ?? 1))));
    for (let at = 0, part = 0; at < content.passages.length; at += size, part++) {
      const vectors = content.vectors?.slice(at, at + size);
      const stored: KnowledgePassages = {
        ...name,
        version,
        part,
        created: now,
        passages: content.passages.slice(at, at + size) as Passage[],
        ...(vectors ? { vectors: Buffer.concat(vectors.map((vector) => new Uint8Array(vector.buffer.slice(0)))) } : {}),
      };
      await this.database.run(() => this.passages.create(stored));
    }
  }

  async removePassages({ project_id, base }: BaseName, version: string): Promise<void> {
    for (const place of [base, noteOf(base)]) await this.removeAll({ project_id, base: place, version });
  }

  /** Removes what failed additions have left in a base. Reads only the notes: all passages would take too long. */
  async removeAbandoned({ project_id, base }: BaseName, now: number): Promise<void> {
    const versions = (await this.list({ project_id, base })).map(({ version }) => version);
    const created = trusted({ $lt: now - ABANDONED_MS });
    const which = { project_id, base: noteOf(base), version: trusted({ $nin: versions }), created };
    const abandoned = await this.database.run(() => this.passages.find(which).lean());
    for (const { version } of abandoned) await this.removePassages({ project_id, base }, version);
  }

  /** A document, or a project, may have more than can be removed within the time of a request. */
  private async removeAll(passages: Pick<BaseName, 'project_id'> & Partial<KnowledgePassages>): Promise<void> {
    await this.passages.deleteMany(passages).maxTimeMS(LONGEST_OPERATION_MS);
  }

  /**
   * Adds a document, or replaces the one with its title.
   *
   * @returns the former document, or null; `same` if another process has just stored the same bytes
   */
  async put(document: KnowledgeDocument): Promise<KnowledgeDocument | null | 'same'> {
    const { _id, project_id, base, title, ...fields } = document;
    const { digest, embedded = null } = fields;
    const isOther = { $or: [{ digest: trusted({ $ne: digest }) }, { embedded: trusted({ $ne: embedded }) }] };
    // Older servers refuse an empty $unset.
    const gone = (['url', 'embedded'] as const).filter((name) => !(name in fields)).map((name) => [name, 1] as const);
    const $unset = gone.length > 0 && { $unset: Object.fromEntries(gone) };
    const change = { $set: fields, $setOnInsert: { _id }, ...$unset };
    for (let attempt = 0; ; attempt++)
      try {
        return await this.database.run(() =>
          this.documents
            .findOneAndUpdate({ project_id, base, title, ...isOther }, change, {
              upsert: true,
              returnDocument: 'before',
            })
            .lean(),
        );
      } catch (error) {
        // Of two additions of one title at once, the second finds the first, unless that has the same content.
        if (!isDuplicateKey(error)) throw error;
        if (attempt > 0) return 'same';
      }
  }

  /** @returns the removed document, or null */
  async remove({ project_id, base }: BaseName, _id: string): Promise<KnowledgeDocument | null> {
    const removed = await this.database.run(() => this.documents.findOneAndDelete({ _id, project_id, base }).lean());
    if (removed) await this.removePassages({ project_id, base }, removed.version);
    return removed;
  }

  /** Reads the passages of a version, in order. */
  async *read({ project_id, base }: BaseName, version: string): AsyncIterable<KnowledgePassages> {
    for (let part = 0; ; part++) {
      const found = await this.database.run(() =>
        this.passages.findOne({ project_id, base, version, part }).lean<KnowledgePassages>(),
      );
      if (!found) return;
      yield found;
    }
  }

  /** Removes all bases of a project. @returns how many documents there were */
  async eraseProject(project_id: string): Promise<number> {
    const { deletedCount } = await this.database.run(() => this.documents.deleteMany({ project_id }));
    await this.removeAll({ project_id });
    return deletedCount;
  }
}
