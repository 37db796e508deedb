import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { ErasableData } from '../erasure/index.js';
import { Clock } from '../platform/config/index.js';
import { Database } from '../platform/database/index.js';
import type { LiveSession } from './session/live.session.js';

/** Where a session waits for its client, so that other processes need not begin a new one in its stead. */
@Schema({ collection: 'live_places', versionKey: false })
export class LivePlace {
  /** The session's identifier. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  host!: string;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}

export const LivePlaceSchema = SchemaFactory.createForClass(LivePlace)
  .index({ project_id: 1, user_id: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

@Injectable()
export class LivePlaces extends ErasableData {
  readonly name = 'live_places';

  constructor(
    private readonly database: Database,
    @InjectModel(LivePlace.name) private readonly places: Model<LivePlace>,
    private readonly clock: Clock,
  ) {
    super();
  }

  async record({ id, owner: { project_id, user_id } }: LiveSession, forMs: number): Promise<void> {
    const expires_at = new Date(this.clock.now() + forMs);
    const place = { project_id, user_id, host: hostname(), expires_at };
    await this.database.run(() => this.places.updateOne({ _id: id }, { $set: place }, { upsert: true }));
  }

  async remove({ id, owner: { project_id, user_id } }: LiveSession): Promise<void> {
    await this.database.run(() => this.places.deleteOne({ _id: id, project_id, user_id }));
  }

  /** The name of the host on which a session of an owner waits. */
  async find({ project_id, user_id }: Owner, _id: string): Promise<string | undefined> {
    const known = { _id, project_id, user_id, expires_at: trusted({ $gt: new Date(this.clock.now()) }) };
    return (await this.database.run(() => this.places.findOne(known, { host: 1 }).lean()))?.host;
  }

  override async eraseUser({ project_id, user_id }: Owner): Promise<void> {
    await this.database.run(() => this.places.deleteMany({ project_id, user_id }));
  }
}
