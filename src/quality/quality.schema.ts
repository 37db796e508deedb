import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** Outcomes of requests to avatars: see {@link QualityCounts}. */
const ANSWER_OUTCOMES = ['answered', 'dodged', 'failed', 'refused'] as const;
export type AnswerOutcome = (typeof ANSWER_OUTCOMES)[number];

/** How many requests were answered, got an honest "I don't know", got no answer, and were refused by a module. */
export type QualityCounts = Record<AnswerOutcome, number>;

/** The counts of one UTC day for an avatar in a language. They contain no user data. */
@Schema({ collection: 'quality_days', versionKey: false })
export class QualityDayDocument implements Partial<QualityCounts> {
  /** The other key fields combined, so that it is unique. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  /** Such as `2026-05-02`. */
  @Prop({ type: String, required: true })
  day!: string;
  @Prop({ type: String, required: true })
  avatar_id!: string;
  @Prop({ type: String, required: true })
  language_code!: string;
  @Prop({ type: Number })
  answered?: number;
  @Prop({ type: Number })
  dodged?: number;
  @Prop({ type: Number })
  failed?: number;
  @Prop({ type: Number })
  refused?: number;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}

export const QualityDaySchema = SchemaFactory.createForClass(QualityDayDocument)
  .index({ project_id: 1, day: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });
