import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { ChatService, Database, type Owner, ServiceError } from '../../src/index.js';
import { RatingDocument } from './rating.schema.js';

const ratingNotFound = () => new ServiceError(404, 'rating_not_found', 'There is no such rating.');

@Injectable()
export class RatingsService {
  constructor(
    private readonly database: Database,
    private readonly chat: ChatService,
    @InjectModel(RatingDocument.name) private readonly ratings: Model<RatingDocument>,
  ) {}

  async rate({ project_id, user_id }: Owner, message_id: string, stars: number): Promise<{ stars: number }> {
    const which = { project_id, user_id, message_id };
    // Throws invalid_before where the user has no such message.
    await this.chat.page({ project_id, user_id }, { limit: 1, before: message_id });
    await this.database.run(() => this.ratings.updateOne(which, { $set: { stars } }, { upsert: true }));
    return { stars };
  }

  async find({ project_id, user_id }: Owner, message_id: string): Promise<{ stars: number }> {
    const rating = await this.database.run(() => this.ratings.findOne({ project_id, user_id, message_id }).lean());
    if (!rating) throw ratingNotFound();
    return { stars: rating.stars };
  }
}
