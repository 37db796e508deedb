import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

@Schema({ collection: 'ratings', versionKey: false })
export class RatingDocument {
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  message_id!: string;
  @Prop({ type: Number, required: true })
  stars!: number;
}

/** One rating for each answer of a user. */
export const RatingSchema = SchemaFactory.createForClass(RatingDocument).index(
  { project_id: 1, user_id: 1, message_id: 1 },
  { unique: true },
);
