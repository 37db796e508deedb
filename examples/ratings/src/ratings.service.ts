import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ChatService, Database, type Owner, ServiceError } from 'avatar-chat-service';
import type { Model } from 'mongoose';
import { RatingDocument } from './rating.schema.js';

@Injectable()
export class RatingsService {
  constructor(
    private readonly database: Database,
    private readonly chat: ChatService,
    @InjectModel(RatingDocument.name) private readonly ratings: Model<RatingDocument>,
  ) {}

  async rate(owner: Owner, message_id: string, stars: number): Promise<{ stars: number }> {
    const { project_id, user_id } = owner;
    // Throws invalid_before if the user has no such message.
    await this.chat.page(owner, { limit: 1, before: message_id });
    const which = { project_id, user_id, message_id };
    await this.database.run(() => this.ratings.updateOne(which, { $set: { stars } }, { upsert: true }));
    return { stars };
  }

  async find({ project_id, user_id }: Owner, message_id: string): Promise<{ stars: number }> {
    const rating = await this.database.run(() => this.ratings.findOne({ project_id, user_id, message_id }).lean());
    if (!rating) throw new ServiceError(404, 'rating_not_found', 'There is no such rating.');
    return { stars: rating.stars };
  }

  async removeAll(project_id: string, user_id: string): Promise<number> {
    return (await this.database.run(() => this.ratings.deleteMany({ project_id, user_id }))).deletedCount;
  }
}
