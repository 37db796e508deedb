import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';

const KEPT_SECONDS = 400 * 86_400;

/** A change by an operator's key. */
@Schema({ collection: 'audit_entries', versionKey: false })
export class AuditDocument {
  @Prop({ type: Date, required: true })
  date!: Date;
  /** The name of the key. */
  @Prop({ type: String, required: true })
  key!: string;
  @Prop({ type: String, required: true })
  action!: string;
  /** Of changes to one project. */
  @Prop({ type: String })
  project_id?: string;
  /** Of a user; once erased, the beginning of its hash. */
  @Prop({ type: String })
  user_id?: string;
  /** Whether `user_id` is a hash. */
  @Prop({ type: Boolean })
  erased?: boolean;
  @Prop({ type: SchemaTypes.Mixed })
  details?: Record<string, unknown>;
  /** Number of erasures before the change. */
  @Prop({ type: Number, required: true })
  fence!: number;
}

export const AuditSchema = SchemaFactory.createForClass(AuditDocument)
  .index({ project_id: 1, date: -1 })
  .index({ project_id: 1, user_id: 1 })
  .index({ date: 1 }, { expireAfterSeconds: KEPT_SECONDS });
