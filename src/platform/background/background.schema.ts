import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Schema as MongooseSchema } from 'mongoose';

/** The one lease of all background work, and when each job was last done. Times are Unix time in milliseconds. */
@Schema({ collection: 'background', versionKey: false })
export class BackgroundDocument {
  @Prop({ type: String, required: true })
  _id!: string;
  /** The process that does the work; missing: none. */
  @Prop({ type: String })
  holder?: string;
  /** How often it has renewed its lease, */
  @Prop({ type: Number })
  renewals?: number;
  /** and when that expires by its clock. */
  @Prop({ type: Number })
  until?: number;
  @Prop({ type: MongooseSchema.Types.Mixed })
  done?: Record<string, number>;
}

export const BackgroundSchema = SchemaFactory.createForClass(BackgroundDocument);
