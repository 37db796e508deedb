import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Schema as MongooseSchema } from 'mongoose';
import type { ChatType } from 'avatar-chat-catalogue';

export type Direction = 'incoming' | 'outgoing';

export const RATINGS = ['up', 'down'] as const;
export type Rating = (typeof RATINGS)[number];

/** Part of a document. */
export interface MessageSourceDocument {
  readonly document_id: string;
  readonly title: string;
  readonly url?: string;
  readonly text: string;
}

/**
 * A message as stored. Its form for clients is in `message.dto.ts`.
 *
 * The fields of operations, who sets and clears them, and what a crash in between leaves:
 *
 * - `follows`: set by MessageAppender with the message; never cleared. Of several messages, the first ones may be stored
 *   without the others; the next message follows the last of them.
 * - `begun`: set by MessageRecorder and MessageArchive with the message, if there has been an erasure; never cleared.
 *   Without the check after the insertion, a message may outlive its user's erasure, until `enqueuePending` or the hourly
 *   sweep of MessageRetention removes it.
 * - `unpublished_since`: set by MessageRecorder with the message; cleared by `markPublished` once the event is in the
 *   outbox. `enqueuePending` enqueues the event later, under the same identifier.
 * - `unfinished_until`: set by MessageRecorder.begin with a live answer; cleared by `rewrite`, when it is finished or
 *   truncated. The answer keeps its first words, and its event is published after that time; the field stays.
 * - `lease_until`: set by TurnIntake with a message that has an idempotency key; changed by TurnLeases while `POST /chat`
 *   asks the avatar; 0 after a failure, otherwise kept. A repeated request acquires it once it has not changed for
 *   `LEASE_MS`.
 * - `conversation`: set by TurnIntake when a turn ends without the avatar; never cleared. Without it, a repeated
 *   request asks who has the conversation then.
 * - `repeats`: incremented by TurnAnswer before an avatar is asked again; never cleared. An attempt may be counted that was
 *   not made.
 * - `ahead_since`: set by MessageRetention; never cleared. The next sweep sets it on the rest.
 */
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
  /** For an imported message: an external URL. */
  @Prop({ type: String })
  fileUrl?: string;
  /** The user's recording, or the spoken answer, in the file store. */
  @Prop({ type: String })
  file_id?: string;
  /** For an answer: its user's rating. */
  @Prop({ type: String })
  rating?: Rating;
  /** The session that the turn was tied to. */
  @Prop({ type: String })
  session?: string;
  /** For an answer: the message that it answers. A message has at most one answer. */
  @Prop({ type: String })
  answers?: string;
  /** For an answer: whether its client left before it was complete. */
  @Prop({ type: Boolean })
  interrupted?: boolean;
  /** For an answer: the parts of documents that it is from. */
  @Prop({ type: [MongooseSchema.Types.Mixed], default: undefined })
  sources?: MessageSourceDocument[];
  /** For a greeting: the avatar, which greets a user once. */
  @Prop({ type: String })
  greets?: string;
  /** For a user's message: the `Idempotency-Key` of the request, */
  @Prop({ type: String })
  idempotency_key?: string;
  /** a digest of its body, */
  @Prop({ type: String })
  idempotency_digest?: string;
  /** and until when, in Unix time in milliseconds, a process holds the lease for asking the avatar. */
  @Prop({ type: Number })
  lease_until?: number;
  /** For a user's message that the avatar did not answer: who has the conversation. */
  @Prop({ type: MongooseSchema.Types.Mixed })
  conversation?: { readonly state: 'waiting' | 'person' | 'avatar'; readonly name?: string };
  /** How often an avatar has been asked again. */
  @Prop({ type: Number })
  repeats?: number;
  /** Whether the avatar had no answer, in a project that collects such questions. */
  @Prop({ type: Boolean })
  unanswered?: boolean;
  /**
   * The `_id` of the user's newest message when this one was recorded, or the empty string. Two messages cannot follow
   * the same one, so writers in any number of processes are serialized. Imported messages have none.
   */
  @Prop({ type: String })
  follows?: string;
  /**
   * For a message that webhooks subscribe to, until its event is in the outbox: when it was stored, in Unix
   * milliseconds. Written with the message itself, so that a crash cannot separate the two.
   */
  @Prop({ type: Number })
  unpublished_since?: number;
  /**
   * For an answer that is still being spoken: the latest end, in Unix milliseconds. Its event waits until then, or
   * until the answer is finished.
   */
  @Prop({ type: Number })
  unfinished_until?: number;
  /**
   * Number of erasures when the operation that stored it started; missing: zero. It identifies writes after an erasure
   * that a crashed process could not undo.
   */
  @Prop({ type: Number })
  begun?: number;
  /** For a message dated in the future: when retention first saw it, from which its age counts, in milliseconds. */
  @Prop({ type: Number })
  ahead_since?: number;
}

/** All indexes except those of retention and events start with the whole shard key, `{project_id, user_id}`. */
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
