import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** How often a subject has asked within one window, as all processes have said so far. */
@Schema({ collection: 'rate_limits', versionKey: false })
export class LimitDocument {
  /** What is counted, of whom, and in which window. */
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
