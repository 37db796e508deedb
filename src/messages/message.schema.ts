import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { ChatType } from '../catalogue/index.js';

export type Direction = 'incoming' | 'outgoing';

export const RATINGS = ['up', 'down'] as const;
export type Rating = (typeof RATINGS)[number];

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
  /** Unix time in milliseconds. */
  @Prop({ type: Number, required: true })
  date!: number;
  @Prop({ type: String, required: true })
  chat_type!: ChatType;
  @Prop({ type: String, required: true })
  language_code!: string;
  /** Of an imported message: a URL that is none of this service's. */
  @Prop({ type: String })
  fileUrl?: string;
  /** The user's recording, or the spoken answer, in the file store. */
  @Prop({ type: String })
  file_id?: string;
  /** Of an answer: what its user thinks of it. */
  @Prop({ type: String })
  rating?: Rating;
  /** The session that the turn was tied to. */
  @Prop({ type: String })
  session?: string;
  /** Of an answer: the message that it answers. Nothing is answered twice. */
  @Prop({ type: String })
  answers?: string;
  /** Of an answer: whether its client left before it was whole. */
  @Prop({ type: Boolean })
  interrupted?: boolean;
  /** Of a greeting: the avatar, which greets a user once. */
  @Prop({ type: String })
  greets?: string;
  /** Of a user's message: the `Idempotency-Key` that it came with, */
  @Prop({ type: String })
  idempotency_key?: string;
  /** a digest of what it came with, */
  @Prop({ type: String })
  idempotency_digest?: string;
  /** and until when, in Unix time in milliseconds, a process holds the lease for asking the avatar. */
  @Prop({ type: Number })
  lease_until?: number;
  /** How often an avatar has been asked about it again. */
  @Prop({ type: Number })
  repeats?: number;
  /** Whether the avatar said that it has no answer, in a project that wants to see such questions. */
  @Prop({ type: Boolean })
  unanswered?: boolean;
  /**
   * The `_id` of the message that was the user's newest when this one was recorded, or the empty string. Two messages
   * cannot follow the same one, so that writers in any number of processes take turns. Imported messages have none.
   */
  @Prop({ type: String })
  follows?: string;
  /**
   * Of a message that webhooks subscribe to, until its event is in the outbox: when it was stored, in Unix milliseconds.
   * Written with the message itself, so that no crash can come between the two.
   */
  @Prop({ type: Number })
  unpublished_since?: number;
  /**
   * Of an answer that is still being spoken: until when, in Unix milliseconds, at the latest. Its event waits till then, or
   * till it is finished.
   */
  @Prop({ type: Number })
  unfinished_until?: number;
  /**
   * How many erasures there had been when what stored it began; none: not one. If a process ends before it can undo a
   * write of somebody who has been erased in the meantime, this is how that is found.
   */
  @Prop({ type: Number })
  begun?: number;
  /** Of a message whose date lies ahead: when retention first saw it, from when on its age is counted, in milliseconds. */
  @Prop({ type: Number })
  ahead_since?: number;
}

/** Each index but those of retention and of events begins with the whole shard key, `{project_id, user_id}`. */
export const MessageSchema = SchemaFactory.createForClass(MessageDocument)
  .index({ project_id: 1, user_id: 1, date: -1, _id: -1 })
  .index({ project_id: 1, date: 1 })
  .index({ file_id: 1 }, { sparse: true })
  .index({ unpublished_since: 1 }, { sparse: true });

for (const once of ['follows', 'answers', 'greets', 'idempotency_key']) {
  MessageSchema.index(
    { project_id: 1, user_id: 1, [once]: 1 },
    { unique: true, partialFilterExpression: { [once]: { $exists: true } } },
  );
}
