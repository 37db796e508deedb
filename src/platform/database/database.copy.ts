import type { DatabaseLocation } from 'avatar-chat-runtime';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, mongo } from 'mongoose';
import { Clock, Config } from '../config/index.js';
import { contentsOf, copyDocuments } from './copy.documents.js';
import { createIndexes, hasIndexes, indexesOf, withoutExpiring } from './copy.indexes.js';
import { openTarget } from './copy.target.js';
import { DatabaseRefusedError, preparing } from './database-refused.js';

/** The collection that marks a target as a copy in progress. It is dropped when the copy is complete. */
const MARK = 'database_copy';
/** How often documents that changed in the meantime are copied again. */
const ROUNDS = 3;

/** What was copied. */
export interface CopyResult {
  collections: number;
  documents: number;
}

/** Called with the progress of each step, from 0 to 1. */
export type CopyProgress = (step: 'copying' | 'verifying', share: number, documents: number) => void;

interface Copy {
  source: mongo.Db;
  target: mongo.Db;
  progress: CopyProgress;
}

/** Copies the whole database, with indexes and files, to another one. */
@Injectable()
export class DatabaseCopy {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Copies everything, including modules' collections, and then compares both sides. After an interruption, or if the
   * data has changed meanwhile, another call copies what is missing.
   *
   * @param location of an empty database, or of one with an incomplete copy
   * @throws DatabaseRefusedError
   */
  async copyTo(location: DatabaseLocation, progress: CopyProgress): Promise<CopyResult> {
    const { db, close } = await openTarget(location, this.config.database);
    try {
      return await preparing('a part of the copy', () =>
        this.copy({ source: this.connection.db!, target: db, progress }),
      );
    } finally {
      await close();
    }
  }

  private async copy(copy: Copy): Promise<CopyResult> {
    const { source, target } = copy;
    const isResumed = await begin(target, new Date(this.clock.now()));
    let left = await collectionsOf(source);
    const names = left.map(({ name }) => name);
    if (isResumed) await dropOthers(target, names);
    for (let round = 1; round <= ROUNDS && left.length > 0; round++) {
      await this.copyAll(copy, left, !isResumed && round === 1);
      const differing = await this.differing(copy, names);
      left = left.filter(({ name }) => differing.has(name));
    }
    if (left.length > 0)
      throw new DatabaseRefusedError(
        `The data changed while it was copied: ${left.map(({ name }) => name).join(', ')}. Stop the service, and run the command again to copy what is missing.`,
      );
    for (const name of names) {
      const indexes = await indexesOf(source.collection(name));
      await createIndexes(target, name, indexes);
      if (!(await hasIndexes(target.collection(name), indexes)))
        throw new DatabaseRefusedError(`The target has other indexes of the collection ${name} than were created.`);
    }
    const counts = await Promise.all(names.map((name) => source.collection(name).estimatedDocumentCount()));
    await target.dropCollection(MARK);
    return { collections: names.length, documents: counts.reduce((sum, count) => sum + count, 0) };
  }

  private async copyAll(
    { source, target, progress }: Copy,
    collections: readonly mongo.CollectionInfo[],
    isFirst: boolean,
  ): Promise<void> {
    const step = await this.step(
      'copying',
      source,
      collections.map(({ name }) => name),
      1,
      progress,
    );
    const there = new Set((await collectionsOf(target)).map(({ name }) => name));
    for (const { name, options } of collections) {
      if (!there.has(name)) await target.createCollection(name, options);
      await copyDocuments(source.collection(name), target.collection(name), isFirst, step);
    }
  }

  /** Those of these collections whose documents differ between the two sides. */
  private async differing({ source, target, progress }: Copy, names: readonly string[]): Promise<Set<string>> {
    const step = await this.step('verifying', source, names, 2, progress);
    const differing = new Set<string>();
    for (const name of names) {
      const filter = withoutExpiring(await indexesOf(source.collection(name)), this.clock.now());
      const [one, other] = await Promise.all(
        [source, target].map((db) => contentsOf(db.collection(name), filter, step)),
      );
      if (one!.count !== other!.count || one!.digest !== other!.digest) differing.add(name);
    }
    return differing;
  }

  /** @returns a function to call with the number of documents per batch */
  private async step(
    step: Parameters<CopyProgress>[0],
    source: mongo.Db,
    names: readonly string[],
    sides: number,
    progress: CopyProgress,
  ): Promise<(count: number) => void> {
    const counts = await Promise.all(names.map((name) => source.collection(name).estimatedDocumentCount()));
    const total =
      Math.max(
        1,
        counts.reduce((sum, count) => sum + count, 0),
      ) * sides;
    let done = 0;
    return (count) => progress(step, (done += count) / total, Math.round(done / sides));
  }
}

/**
 * Marks the target of a copy.
 *
 * @returns whether a copy to it was started earlier
 * @throws DatabaseRefusedError if it holds anything else
 */
async function begin(target: mongo.Db, started_at: Date): Promise<boolean> {
  const mark = target.collection(MARK);
  if (await mark.findOne()) return true;
  for (const { name } of await collectionsOf(target))
    if (await target.collection(name).findOne({}, { projection: { _id: 1 } }))
      throw new DatabaseRefusedError('The target is not empty. Nothing was copied.');
  await mark.insertOne({ _id: 'copy' as never, started_at });
  return false;
}

async function collectionsOf(db: mongo.Db): Promise<mongo.CollectionInfo[]> {
  const collections = (await db.listCollections().toArray()) as mongo.CollectionInfo[];
  return collections
    .filter(({ name, type }) => type !== 'view' && name !== MARK && !name.startsWith('system.'))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function dropOthers(target: mongo.Db, names: readonly string[]): Promise<void> {
  for (const { name } of await collectionsOf(target)) if (!names.includes(name)) await target.dropCollection(name);
}
