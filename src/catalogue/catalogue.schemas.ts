import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Schema as MongooseSchema } from 'mongoose';
import type {
  KindEntry,
  Avatar,
  Embeddings,
  IdentityEntry,
  Language,
  PreviousSecret,
  Project,
  Settings,
  ToolServer,
  Voice,
  Webhook,
  WebhookSecret,
  WebhookTool,
} from 'avatar-chat-catalogue';

const Mixed = MongooseSchema.Types.Mixed;

@Schema({ collection: 'avatars', versionKey: false, minimize: false }) // Entries of engines may have empty objects.
export class AvatarDocument implements Avatar {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  name!: string;
  @Prop({ type: String, required: true })
  greetingText!: string;
  @Prop({ type: Mixed })
  greetings?: Record<string, string>;
  @Prop({ type: Mixed })
  suggestions?: Record<string, string[]>;
  @Prop({ type: Boolean, required: true })
  hasLiveMode!: boolean;
  @Prop({ type: { small: String, medium: String, large: String }, required: true, _id: false })
  previewIcons!: Avatar['previewIcons'];
  @Prop({ type: String, required: true })
  startButtonIcon!: string;
  @Prop({ type: String, required: true })
  idleVideo!: string;
  @Prop({ type: Mixed, required: true })
  engine!: KindEntry;
  @Prop({ type: Boolean })
  care?: boolean;
  @Prop({ type: Mixed })
  voice?: Voice;
  @Prop({ type: [String], default: undefined })
  knowledge?: string[];
}
export const AvatarSchema = SchemaFactory.createForClass(AvatarDocument);

/** The code is the `_id`, so that each language is unique. */
@Schema({ collection: 'languages', versionKey: false })
export class LanguageDocument implements Omit<Language, 'language_code'> {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  name!: string;
  @Prop({ type: String, required: true })
  icon_url!: string;
}
export const LanguageSchema = SchemaFactory.createForClass(LanguageDocument);

/** The project_id is the `_id`. */
@Schema({ collection: 'projects', versionKey: false })
export class ProjectDocument implements Omit<Project, 'project_id'> {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  token_policy!: Project['token_policy'];
  @Prop({ type: Mixed })
  identity?: IdentityEntry;
  @Prop({ type: String, required: true })
  key!: string;
  @Prop({ type: [Mixed], default: undefined })
  previous_keys?: PreviousSecret[];
  @Prop({ type: String })
  webhook_key?: string;
  @Prop({ type: Mixed })
  webhook_secrets?: Record<string, WebhookSecret>;
  @Prop({ type: String, required: true })
  epoch!: string;
  @Prop({ type: [String], required: true })
  avatars!: string[];
  @Prop({ type: [String], required: true })
  languages!: string[];
  @Prop({ type: Mixed, required: true })
  settings!: Settings;
  @Prop({ type: Mixed })
  speech?: Project['speech'];
  @Prop({ type: Mixed })
  video?: Project['video'];
  @Prop({ type: Mixed })
  handover?: Project['handover'];
  @Prop({ type: [Mixed], default: undefined })
  replies?: Project['replies'];
  @Prop({ type: [Mixed], default: undefined })
  webhooks?: Webhook[];
  @Prop({ type: Mixed })
  embeddings?: Embeddings;
  @Prop({ type: [Mixed], default: undefined })
  tool_servers?: ToolServer[];
  @Prop({ type: [Mixed], default: undefined })
  webhook_tools?: WebhookTool[];
}
export const ProjectSchema = SchemaFactory.createForClass(ProjectDocument);

/** One document, whose `revision` changes with every change of the catalogue, so that other processes notice it. */
@Schema({ collection: 'catalogue_revisions', versionKey: false })
export class CatalogueRevisionDocument {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  revision!: string;
}
export const CatalogueRevisionSchema = SchemaFactory.createForClass(CatalogueRevisionDocument);

/** The change in progress: one document, or none. */
@Schema({ collection: 'catalogue_journal', versionKey: false })
export class CatalogueJournalDocument {
  @Prop({ type: String, required: true })
  _id!: string;
  @Prop({ type: String, required: true })
  change_id!: string;
  /** Gzip-compressed JSON. */
  @Prop({ type: Buffer, required: true })
  change!: Buffer;
  @Prop({ type: String })
  seen?: string;
}
export const CatalogueJournalSchema = SchemaFactory.createForClass(CatalogueJournalDocument);
