import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { ChatType } from '../catalogue/index.js';

export type Direction = 'incoming' | 'outgoing';

/** A message as it is stored. What the interface calls it is in `chat.dto.ts`. */
@Schema({ collection: 'messages', versionKey: false })
export class MessageDocument {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  direction!: Direction;
  @Prop({ type: String })
  request!: string;
  @Prop({ type: String })
  answer?: string;
  @Prop({ type: String, required: true })
  avatar_id!: string;
  @Prop({ type: String })
  avatar_name?: string;
  /** Milliseconds since 1970. */
  @Prop({ type: Number, required: true })
  date!: number;
  @Prop({ type: String, required: true })
  chat_type!: ChatType;
  @Prop({ type: String, required: true })
  language_code!: string;
  @Prop({ type: String })
  fileUrl?: string;
  /**
   * The `_id` of the message that was the user's newest when this one was recorded, or the empty string. Two messages
   * cannot follow the same one, so that writers in any number of processes take turns. Imported messages have none.
   */
  @Prop({ type: String })
  follows?: string;
}

/** Each begins with the whole shard key, `{project_id, user_id}`. */
export const MessageSchema = SchemaFactory.createForClass(MessageDocument)
  .index({ project_id: 1, user_id: 1, date: -1, _id: -1 })
  .index(
    { project_id: 1, user_id: 1, follows: 1 },
    { unique: true, partialFilterExpression: { follows: { $exists: true } } },
  );
