import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Schema as MongooseSchema } from 'mongoose';
import type { EventType, ModuleEventType } from 'avatar-chat-catalogue';

/**
 * `pending`: will be tried; `delivered`: the receiver has answered 2xx; `dead`: will not be tried any more; `dropped`:
 * events of a webhook that came while too many others were waiting.
 */
export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'dropped';

/** The result of an attempt. */
export interface Outcome {
  /** Unix time in milliseconds. */
  at: number;
  /** The HTTP status of the response. */
  status?: number;
  /** A code that says why there was no response. */
  error?: string;
}

/** The delivery of one event to one webhook. Dates are Unix time in milliseconds. */
@Schema({ collection: 'outbox', versionKey: false })
export class OutboxEntry {
  /** The event's identifier, a dot, and the webhook's name, so that nothing is added twice. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  event_id!: string;
  @Prop({ type: String, required: true })
  type!: EventType | ModuleEventType;
  /** When it happened. */
  @Prop({ type: Number, required: true })
  date!: number;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  /** The webhook's name. */
  @Prop({ type: String, required: true })
  webhook!: string;
  /** Project and webhook, in one field that indexes can be searched by. */
  @Prop({ type: String, required: true })
  queue!: string;
  /** For `message.created` only the identifier of the message: its text is stored nowhere else. */
  @Prop({ type: MongooseSchema.Types.Mixed, required: true })
  data!: Record<string, unknown>;
  @Prop({ type: String, required: true })
  state!: DeliveryState;
  /** Number of attempts. */
  @Prop({ type: Number, required: true })
  attempts!: number;
  /** Of pending entries: when the next attempt is due or, during an attempt, when its lease expires. */
  @Prop({ type: Number })
  due?: number;
  /** During an attempt: the identifier of its lease. */
  @Prop({ type: String })
  lease?: string;
  @Prop({ type: MongooseSchema.Types.Mixed })
  last?: Outcome;
  /** Of the one entry of a webhook's dropped events: how many there were. */
  @Prop({ type: Number })
  dropped?: number;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}

/** Queries of pending entries compare `due`, so that these indexes serve them. */
const PENDING = { partialFilterExpression: { due: { $exists: true } } };

export const OutboxSchema = SchemaFactory.createForClass(OutboxEntry)
  .index({ queue: 1, due: 1 }, PENDING)
  .index({ date: 1 }, PENDING)
  .index({ due: 1 }, PENDING)
  .index({ project_id: 1, user_id: 1 })
  .index({ project_id: 1, date: -1 })
  .index({ date: -1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });
