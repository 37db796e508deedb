import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** What an avatar used: see {@link UsageCounts}. */
const COUNTS = [
  'turns',
  'prompt_tokens',
  'completion_tokens',
  'estimated_tokens',
  'seconds_heard',
  'seconds_spoken',
  'tool_calls',
] as const;

/** Sums of a day. `estimated_tokens` are those that no server reported. */
export type UsageCounts = Record<(typeof COUNTS)[number], number>;

/** The usage of one UTC day by an avatar with an engine. It contains no user data. */
@Schema({ collection: 'usage_days', versionKey: false })
export class UsageDayDocument implements Partial<UsageCounts> {
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
  engine!: string;
  @Prop({ type: Number })
  turns?: number;
  @Prop({ type: Number })
  prompt_tokens?: number;
  @Prop({ type: Number })
  completion_tokens?: number;
  @Prop({ type: Number })
  estimated_tokens?: number;
  @Prop({ type: Number })
  seconds_heard?: number;
  @Prop({ type: Number })
  seconds_spoken?: number;
  @Prop({ type: Number })
  tool_calls?: number;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}

export const UsageDaySchema = SchemaFactory.createForClass(UsageDayDocument)
  .index({ project_id: 1, day: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The tokens that a user's turns took on one UTC day, in a project that limits them. */
@Schema({ collection: 'usage_users', versionKey: false })
export class UserTokensDocument {
  /** Project, user and day. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: Number, required: true })
  tokens!: number;
  @Prop({ type: Date, required: true })
  expires_at!: Date;
}

export const UserTokensSchema = SchemaFactory.createForClass(UserTokensDocument)
  .index({ project_id: 1, user_id: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });
