import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A migration that has run. Besides these there is one document for the database: its data form and the lease. */
@Schema({ collection: 'migrations', versionKey: false })
export class MigrationDocument {
  /** The migration's name. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: Date })
  finished_at?: Date;
  /** The data form of the release that ran it; of the database, the newest of all. */
  @Prop({ type: Number })
  form?: number;
  /** The process that runs migrations, */
  @Prop({ type: String })
  holder?: string;
  /** and how often it has renewed its lease. */
  @Prop({ type: Number })
  renewals?: number;
}
export const MigrationSchema = SchemaFactory.createForClass(MigrationDocument);
