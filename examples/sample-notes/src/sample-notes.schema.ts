import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

@Schema({ collection: 'sample_notes_items', versionKey: false })
export class SampleNotesEntry {
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  text!: string;
  /** Unix time in milliseconds. */
  @Prop({ type: Number, required: true })
  date!: number;
}

export const SampleNotesSchema = SchemaFactory.createForClass(SampleNotesEntry).index({
  project_id: 1,
  user_id: 1,
  date: -1,
});
