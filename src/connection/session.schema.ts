import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** The session of one response of `GET /connection`; expires with the longest token that could have requested it. */
@Schema({ collection: 'sessions', versionKey: false })
export class SessionDocument {
  /** The session identifier. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}
export const SessionSchema = SchemaFactory.createForClass(SessionDocument)
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  .index({ project_id: 1, user_id: 1 });
