import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { ErasableData } from '../erasure/index.js';
import { Clock } from '../platform/config/index.js';
import { Database } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import type { LiveSession } from 'avatar-chat-realtime';
import { KeyedQueues } from 'avatar-chat-runtime';

/** How often a process looks for sessions that are wanted elsewhere, and how long that is waited for, in milliseconds. */
export const LOOK_MS = 1000;
const PATIENCE_MS = 2500;
const PAUSE_MS = 250;

/** The applications in this process. A killed process may leave its pid to the next one, above all in a container. */
export const applications = new Set<string>();

/** Where a session is, so that other processes need not begin a new one in its stead. */
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
  avatar_id!: string;
  @Prop({ type: String, required: true })
  host!: string;
  @Prop({ type: Number })
  pid?: number;
  /** One of the {@link applications} of that process. */
  @Prop({ type: String, required: true })
  application!: string;
  /** Whether its process has noticed that the connection is lost. */
  @Prop({ type: Boolean, required: true })
  isWaiting!: boolean;
  /** Whether the client has come to another process. */
  @Prop({ type: Boolean })
  isWanted?: boolean;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}

export const LivePlaceSchema = SchemaFactory.createForClass(LivePlace)
  .index({ project_id: 1, user_id: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

@Injectable()
export class LivePlaces extends ErasableData {
  readonly name = 'live_places';
  private readonly application = randomUUID();
  /** Of each session, since the last one has to stand. */
  private readonly writes = new KeyedQueues(() => failure('service_unavailable'));

  constructor(
    private readonly database: Database,
    @InjectModel(LivePlace.name) private readonly places: Model<LivePlace>,
    private readonly clock: Clock,
  ) {
    super();
    applications.add(this.application);
  }

  /** Records that a session is here. @param until Unix time in milliseconds */
  async record(
    { id, avatar_id, owner: { project_id, user_id } }: LiveSession,
    isWaiting: boolean,
    until: number,
  ): Promise<void> {
    const expires_at = new Date(until);
    const where = { host: hostname(), pid: process.pid, application: this.application };
    const place = { project_id, user_id, avatar_id, ...where, isWaiting, isWanted: false, expires_at };
    await this.write(id, () => this.places.updateOne({ _id: id }, { $set: place }, { upsert: true }));
  }

  async remove({ id, owner: { project_id, user_id } }: LiveSession): Promise<void> {
    await this.write(id, () => this.places.deleteOne({ _id: id, project_id, user_id }));
  }

  private async write(id: string, operation: () => PromiseLike<unknown>): Promise<void> {
    const run = async () => void (await this.database.run(operation));
    await this.writes.run(id, run, () => false);
  }

  /**
   * The host and process in which a session of an owner waits. A process that has not noticed that its client is lost is
   * told to close the connection; if it does not, it is gone, and so is the session.
   */
  async find({ project_id, user_id }: Owner, avatar_id: string, _id: string): Promise<LivePlace | undefined> {
    const expires_at = trusted({ $gt: new Date(this.clock.now()) });
    const known = { _id, project_id, user_id, avatar_id, expires_at };
    for (let waitedMs = 0; waitedMs <= PATIENCE_MS; waitedMs += PAUSE_MS) {
      const place = await this.database.run(() => this.places.findOne(known).lean());
      if (!place || place.isWaiting) return place ?? undefined;
      // Not of one that waits: its next connection would be closed.
      const unnoticed = { ...known, isWaiting: false };
      await this.database.run(() => this.places.updateOne(unnoticed, { $set: { isWanted: true } }));
      await delay(PAUSE_MS);
    }
    return undefined;
  }

  /** Those of these sessions whose clients have come to another process. */
  async findWanted(ids: readonly string[]): Promise<string[]> {
    const wanted = { _id: trusted({ $in: ids }), isWanted: true };
    return (await this.database.run(() => this.places.find(wanted, { _id: 1 }).lean())).map(({ _id }) => _id);
  }

  override async eraseUser({ project_id, user_id }: Owner): Promise<void> {
    await this.database.run(() => this.places.deleteMany({ project_id, user_id }));
  }
}
