import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Database } from '../platform/database/index.js';
import { LimitDocument } from './rate-limits.schema.js';

@Injectable()
export class LimitsRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(LimitDocument.name) private readonly limits: Model<LimitDocument>,
  ) {}

  /** Adds to the count that all processes share. @returns the new count */
  async add(_id: string, hits: number, expires_at: Date): Promise<number> {
    const change = { $inc: { hits }, $setOnInsert: { expires_at } };
    const options = { upsert: true, returnDocument: 'after' } as const;
    const counted = await this.database.run(() => this.limits.findOneAndUpdate({ _id }, change, options).lean());
    return counted.hits;
  }

  /** Removes the counts that expire after a date, except those of uploads and videos, whose windows are longer. */
  async removeAfter(date: Date): Promise<void> {
    const others = { expires_at: trusted({ $gt: date }), _id: trusted({ $not: /^(uploads|videos) / }) };
    await this.database.run(() => this.limits.deleteMany(others));
  }
}
