import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A completed migration. One further document is for the database: its data format and the lease. */
@Schema({ collection: 'migrations', versionKey: false })
export class MigrationDocument {
  /** The migration's name. */
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: Date })
  finished_at?: Date;
  /** The data format of the release that ran it; for the database, the newest of all. */
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
