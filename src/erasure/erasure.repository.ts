import { ownerKey } from '../auth/index.js';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Database, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { ErasureDocument } from './erasure.schema.js';

/** The key of the document that counts erasures. No project has this name. */
export const COUNTER = '*';

/** The number of erasures before an operation: what it stores, a later erasure erases. */
export type ErasureFence = number;

/** Target of an erasure: a user of a project, or the whole project. */
export interface Subject {
  readonly project_id: string;
  readonly user_id?: string;
  /** For a project: its messages are erased as well. */
  readonly erased?: boolean;
}

/** An erased user or removed project, and the number of the erasure. */
export type Erasure = Omit<Subject, 'erased'> & Pick<ErasureDocument, 'number' | 'messages_erased'>;

@Injectable()
export class ErasureRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(ErasureDocument.name) private readonly erasures: Model<ErasureDocument>,
  ) {}

  /** The number of each recorded erasure of these keys. */
  async numbers(keys: readonly string[]): Promise<Map<string, number>> {
    const found = await this.database.run(() =>
      this.erasures.collection.find({ _id: { $in: [...keys] } } as object, { projection: { number: 1 } }).toArray(),
    );
    return new Map(found.map(({ _id, number }) => [String(_id), number]));
  }

  /** Records an erasure until a date. @returns its number */
  async add({ erased, ...subject }: Subject, expires_at: Date): Promise<number> {
    const { number } = await this.upsert(COUNTER, { $inc: { number: 1 } });
    const numbers = { number, ...(erased ? { messages_erased: number } : {}) };
    await this.upsert(keyOf(subject), { $max: numbers, $set: { ...subject, expires_at } });
    return number;
  }

  /** The erasures that are still recorded. */
  async *all(): AsyncGenerator<Erasure> {
    yield* this.erasures
      .find({ project_id: trusted({ $exists: true }) })
      .maxTimeMS(LONGEST_OPERATION_MS)
      .lean<Erasure[]>()
      .cursor() as AsyncIterable<Erasure>;
  }

  private async upsert(_id: string, update: object): Promise<ErasureDocument> {
    const stored = await this.database.upsert(() =>
      this.erasures.findOneAndUpdate({ _id }, update, { upsert: true, returnDocument: 'after' }).lean(),
    );
    return stored!;
  }
}

export function keyOf({ project_id, user_id }: Subject): string {
  return user_id === undefined ? project_id : ownerKey({ project_id, user_id });
}
