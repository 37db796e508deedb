import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { ErasableData } from '../erasure/index.js';
import { Database } from '../platform/database/index.js';
import { VideoDocument } from './video.schema.js';

/** Which spoken answers are videos, and their rendered files. */
@Injectable()
export class VideoRepository extends ErasableData {
  readonly name = 'videos';
  /** Before the files: a rendering that completes later finds no record, and removes its file. */
  override readonly order = -10;

  constructor(
    private readonly database: Database,
    @InjectModel(VideoDocument.name) private readonly videos: Model<VideoDocument>,
  ) {
    super();
  }

  async add({ project_id, user_id }: Owner, file_id: string, avatar_id: string): Promise<void> {
    await this.database.run(() => this.videos.create({ _id: file_id, project_id, user_id, avatar_id }));
  }

  find(file_id: string): Promise<VideoDocument | null> {
    return this.database.run(() => this.videos.findOne({ _id: file_id }).lean());
  }

  /**
   * Sets the rendered file of an answer.
   *
   * @param former the previous file, which no longer exists
   * @returns false if the answer was removed, or another process was first
   */
  async link({ _id, video_id: former }: VideoDocument, video_id: string): Promise<boolean> {
    const unchanged = { _id, video_id: former ?? trusted({ $exists: false }) };
    const { matchedCount } = await this.database.run(() => this.videos.updateOne(unchanged, { $set: { video_id } }));
    return matchedCount === 1;
  }

  /**
   * Claims the rendering of an answer until a time in milliseconds.
   *
   * @param former what the claim that is had already may last until; it is prolonged, or ended if `until` is 0
   * @returns false if another process has it
   */
  async claim(_id: string, now: number, until: number, former?: readonly number[]): Promise<boolean> {
    const claimed_until = trusted(
      former ? { $in: former.map((end) => new Date(end)) } : { $not: { $gt: new Date(now) } },
    );
    const claimed = { $set: { claimed_until: new Date(until) } };
    const { matchedCount } = await this.database.run(() => this.videos.updateOne({ _id, claimed_until }, claimed));
    return matchedCount === 1;
  }

  /** Removes the records of these answers. @returns their rendered files, which have to be removed next */
  async removeRecords(file_ids: readonly string[]): Promise<string[]> {
    const found = await this.database.run(() =>
      this.videos.find({ _id: trusted({ $in: [...file_ids] }) }, { _id: 1 }).lean(),
    );
    const rendered: string[] = [];
    for (const { _id } of found) {
      // One at a time: a rendering that completes meanwhile is either recorded before, and found here, or not recorded
      // at all.
      const removed = await this.database.run(() => this.videos.findOneAndDelete({ _id }).lean());
      if (removed?.video_id !== undefined) rendered.push(removed.video_id);
    }
    return rendered;
  }

  override async eraseUnfenced({ project_id, user_id }: Owner): Promise<void> {
    await this.database.run(() => this.videos.deleteMany({ project_id, user_id }));
  }

  /** Those of these files that are the videos of answers. */
  async findRenditions(file_ids: readonly string[]): Promise<string[]> {
    const found = await this.database.run(() =>
      this.videos.find({ video_id: trusted({ $in: [...file_ids] }) }, { video_id: 1 }).lean(),
    );
    return found.flatMap(({ video_id }) => video_id ?? []);
  }
}
