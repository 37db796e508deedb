import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/**
 * Records that a user was erased or a project removed, for as long as work that was in progress then could still write.
 * One further document counts erasures.
 */
@Schema({ collection: 'erasures', versionKey: false })
export class ErasureDocument {
  /** The project, or the project, a slash and the user. */
  @Prop({ type: String, required: true })
  _id!: string;
  /** Sequence number of the erasure, larger than all earlier ones. */
  @Prop({ type: Number, required: true })
  number!: number;
  @Prop({ type: String })
  project_id?: string;
  @Prop({ type: String })
  user_id?: string;
  /** For a project: number of the last erasure that included its messages. */
  @Prop({ type: Number })
  messages_erased?: number;
  @Prop({ type: Date })
  expires_at?: Date;
}

export const ErasureSchema = SchemaFactory.createForClass(ErasureDocument).index(
  { expires_at: 1 },
  { expireAfterSeconds: 0 },
);
