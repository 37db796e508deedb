import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Passage } from 'avatar-chat-knowledge';
import { Schema as MongooseSchema } from 'mongoose';

const Mixed = MongooseSchema.Types.Mixed;

/** A document of a knowledge base. Its passages are those of its version. */
@Schema({ collection: 'knowledge_documents', versionKey: false })
export class KnowledgeDocument {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  base!: string;
  /** Unique in its base. */
  @Prop({ type: String, required: true })
  title!: string;
  @Prop({ type: String })
  url?: string;
  @Prop({ type: Number, required: true })
  bytes!: number;
  /** Number of passages. */
  @Prop({ type: Number, required: true })
  passages!: number;
  /** Bytes of memory that its passages take in an index, by estimate. */
  @Prop({ type: Number, required: true })
  memory!: number;
  /** SHA-256 of its bytes, and of how they were read. */
  @Prop({ type: String, required: true })
  digest!: string;
  /** The embeddings that its passages have: the model and its server; missing if they have none. */
  @Prop({ type: String })
  embedded?: string;
  /** Changes whenever its passages do. */
  @Prop({ type: String, required: true })
  version!: string;
  /** Unix time in milliseconds. */
  @Prop({ type: Number, required: true })
  updated!: number;
}
export const KnowledgeDocumentSchema = SchemaFactory.createForClass(KnowledgeDocument).index(
  { project_id: 1, base: 1, title: 1 },
  { unique: true },
);

/** Consecutive passages of one version of a document: stored before the document refers to them. */
@Schema({ collection: 'knowledge_passages', versionKey: false })
export class KnowledgePassages {
  @Prop({ type: String, required: true })
  project_id!: string;
  @Prop({ type: String, required: true })
  base!: string;
  @Prop({ type: String, required: true })
  version!: string;
  @Prop({ type: Number, required: true })
  part!: number;
  @Prop({ type: [Mixed], required: true })
  passages!: Passage[];
  /** The embeddings of these passages, one after the other, as 32-bit floats. */
  @Prop({ type: Buffer })
  vectors?: Buffer;
  /** Unix time in milliseconds. */
  @Prop({ type: Number, required: true })
  created!: number;
}
export const KnowledgePassagesSchema = SchemaFactory.createForClass(KnowledgePassages).index({
  project_id: 1,
  base: 1,
  version: 1,
  part: 1,
});
