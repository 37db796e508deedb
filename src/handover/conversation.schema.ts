import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Schema as MongooseSchema } from 'mongoose';
import type { ChangedBy, ConversationState } from './handover.rules.js';

/** A conversation that was handed over at least once. */
@Schema({ collection: 'conversations', versionKey: false })
export class ConversationDocument {
  /** The project, a slash and the user. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  state!: ConversationState;
  @Prop({ type: String })
  name?: string;
  /** Unix time in milliseconds. */
  @Prop({ type: Number, required: true })
  since!: number;
  /** When it returns to the avatar, in Unix time in milliseconds. */
  @Prop({ type: Number })
  deadline?: number;
  /** Counts its changes, so that of several processes one makes each. */
  @Prop({ type: Number, required: true })
  revision!: number;
  /** Its last change, until all are told. The identifier is the same for every attempt, so that nobody is told twice. */
  @Prop({ type: MongooseSchema.Types.Mixed })
  unpublished?: { readonly id: string; readonly by: ChangedBy };
  /** Number of erasures when the operation that stored it started. */
  @Prop({ type: Number, required: true })
  begun!: number;
}

export const ConversationSchema = SchemaFactory.createForClass(ConversationDocument)
  .index({ project_id: 1, state: 1, since: 1, _id: 1 })
  .index({ deadline: 1 }, { sparse: true })
  .index({ 'unpublished.id': 1 }, { sparse: true });
