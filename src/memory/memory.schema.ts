import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A lasting fact that a user said of themselves. */
@Schema({ collection: 'memories', versionKey: false })
export class MemoryDocument {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  text!: string;
  /** Unix time in milliseconds. */
  @Prop({ type: Number, required: true })
  created!: number;
  /** Number of erasures when the work that stored it began. */
  @Prop({ type: Number })
  begun?: number;
  /** Only of a mark, which is no memory: it is removed by then at the latest. */
  @Prop({ type: Date })
  expires_at?: Date;
  /** Likewise: the mark of the turn that it is for. The mark whose `_id` is the user's key is the user's lock. */
  @Prop({ type: String })
  holder?: string;
}

export const MemorySchema = SchemaFactory.createForClass(MemoryDocument)
  .index({ project_id: 1, user_id: 1, created: -1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });
