import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database } from '../platform/database/index.js';
import { VideoDocument } from './video.schema.js';

/** Which spoken answers are videos, and where these are once they have been rendered. */
@Injectable()
export class VideoRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(VideoDocument.name) private readonly videos: Model<VideoDocument>,
  ) {}

  async add({ project_id, user_id }: Owner, file_id: string, avatar_id: string): Promise<void> {
    await this.database.run(() => this.videos.create({ _id: file_id, project_id, user_id, avatar_id }));
  }

  find(file_id: string): Promise<VideoDocument | null> {
    return this.database.run(() => this.videos.findOne({ _id: file_id }).lean());
  }

  /**
   * Notes the rendered file of an answer.
   *
   * @param former the one that it had, which is not there any more
   * @returns false where the answer is gone, or another process was first
   */
  async link({ _id, video_id: former }: VideoDocument, video_id: string): Promise<boolean> {
    const unchanged = { _id, video_id: former ?? trusted({ $exists: false }) };
    const { matchedCount } = await this.database.run(() => this.videos.updateOne(unchanged, { $set: { video_id } }));
    return matchedCount === 1;
  }

  /** Forgets these answers. @returns their rendered files, which are then to be removed */
  async forget(file_ids: readonly string[]): Promise<string[]> {
    const found = await this.database.run(() =>
      this.videos.find({ _id: trusted({ $in: [...file_ids] }) }, { _id: 1 }).lean(),
    );
    const rendered: string[] = [];
    for (const { _id } of found) {
      // One by one: a rendering that ends meanwhile is noted before, and then found here, or not at all.
      const removed = await this.database.run(() => this.videos.findOneAndDelete({ _id }).lean());
      if (removed?.video_id !== undefined) rendered.push(removed.video_id);
    }
    return rendered;
  }

  async forgetAll({ project_id, user_id }: Owner): Promise<void> {
    await this.database.run(() => this.videos.deleteMany({ project_id, user_id }));
  }

  /** Those of these files that are the videos of answers. */
  async rendered(file_ids: readonly string[]): Promise<string[]> {
    const found = await this.database.run(() =>
      this.videos.find({ video_id: trusted({ $in: [...file_ids] }) }, { video_id: 1 }).lean(),
    );
    return found.flatMap(({ video_id }) => video_id ?? []);
  }
}
