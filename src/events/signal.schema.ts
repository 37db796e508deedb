import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';

const KEPT_SECONDS = 120;

/** News about a user for other processes. Kept for two minutes. */
@Schema({ collection: 'conversation_signals', versionKey: false })
export class SignalDocument {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  event!: 'conversation' | 'typing' | 'said';
  @Prop({ type: SchemaTypes.Mixed, required: true })
  data!: Readonly<Record<string, string>>;
  /** Of what has changed: an earlier change that comes late is none. */
  @Prop({ type: Number })
  revision?: number;
  /** By the clock of the database, since those of processes differ. */
  @Prop({ type: Date, required: true })
  date!: Date;
}

export const SignalSchema = SchemaFactory.createForClass(SignalDocument)
  .index({ date: 1 }, { expireAfterSeconds: KEPT_SECONDS })
  .index({ project_id: 1, user_id: 1 });
