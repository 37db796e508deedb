import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A spoken answer that is a video: its audio is stored with it, the video after the first request. */
@Schema({ collection: 'videos', versionKey: false })
export class VideoDocument {
  /** The identifier of the audio file, which also identifies the answer. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  user_id!: string;
  @Prop({ type: String, required: true })
  avatar_id!: string;
  /** The identifier of the rendered file. */
  @Prop({ type: String })
  video_id?: string;
  /** Until when a process renders it; others wait for its file. */
  @Prop({ type: Date })
  claimed_until?: Date;
}
export const VideoSchema = SchemaFactory.createForClass(VideoDocument)
  .index({ project_id: 1, user_id: 1 })
  .index({ video_id: 1 }, { sparse: true });
