import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Database } from '../platform/database/index.js';
import { type QualityCounts, QualityDayDocument } from './quality.schema.js';

/** The key of a count. */
export type QualitySubject = Pick<QualityDayDocument, 'project_id' | 'day' | 'avatar_id' | 'language_code'>;

/** Counts of one avatar in one language. */
export type AvatarQuality = Pick<QualityDayDocument, 'avatar_id' | 'language_code'> & QualityCounts;

const SUMS = {
  answered: { $sum: '$answered' },
  dodged: { $sum: '$dodged' },
  failed: { $sum: '$failed' },
  refused: { $sum: '$refused' },
};

@Injectable()
export class QualityRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(QualityDayDocument.name) private readonly days: Model<QualityDayDocument>,
  ) {}

  /** Adds to the stored counts. */
  async add(subject: QualitySubject, counts: Partial<QualityCounts>, expires_at: Date): Promise<void> {
    const { project_id, day, avatar_id, language_code } = subject;
    const _id = [project_id, day, avatar_id, language_code].join('/');
    await this.database.upsert(() =>
      this.days.updateOne({ _id }, { $inc: counts, $set: { ...subject, expires_at } }, { upsert: true }),
    );
  }

  /** The counts of a project since a day, by avatar and language. */
  sum(project_id: string, day: string, timeout: number): Promise<AvatarQuality[]> {
    return this.days
      .aggregate<AvatarQuality>([
        { $match: { project_id, day: { $gte: day } } },
        { $group: { _id: { avatar_id: '$avatar_id', language_code: '$language_code' }, ...SUMS } },
        { $sort: { '_id.avatar_id': 1, '_id.language_code': 1 } },
        {
          $project: {
            _id: 0,
            avatar_id: '$_id.avatar_id',
            language_code: '$_id.language_code',
            answered: 1,
            dodged: 1,
            failed: 1,
            refused: 1,
          },
        },
      ])
      .option({ maxTimeMS: timeout })
      .exec();
  }

  async removeAll(project_id: string): Promise<void> {
    await this.database.run(() => this.days.deleteMany({ project_id }));
  }
}
