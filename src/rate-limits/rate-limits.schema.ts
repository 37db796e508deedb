import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** Requests of a subject within one window, as reported by all processes so far. */
@Schema({ collection: 'rate_limits', versionKey: false })
export class LimitDocument {
  /** The kind of the limit, the subject, and the window. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: Number, required: true })
  hits!: number;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}
export const LimitSchema = SchemaFactory.createForClass(LimitDocument).index(
  { expires_at: 1 },
  { expireAfterSeconds: 0 },
);
