import type { components } from '../../../client/src/openapi.js';

type Schemas = components['schemas'];

export type Message = Schemas['Message'] & {
  rating?: 'up' | 'down';
  sources?: { title: string; text: string }[];
};
export type UserDetails = Schemas['UserDetails'];
export type Statistics = Schemas['Statistics'];
export type UsageDetails = Schemas['UsageDetails'];
export type ReplyList = Schemas['ReplyList'];
export type QualityReport = Schemas['QualityReport'];
export type KnowledgeDocument = Schemas['KnowledgeDocumentDetails'];
export type KnowledgePassage = Schemas['KnowledgePassageDetails'];
export type MemoryDetails = Schemas['MemoryDetails'];
export type AuditEntry = Schemas['AuditEntryDetails'];
export type Delivery = Schemas['DeliveryDetails'];

export type ConversationState = 'avatar' | 'waiting' | 'person';

/** A conversation in a list of operators. */
export interface Conversation {
  user_id: string;
  state: ConversationState;
  /** Of the person who has it. */
  name?: string;
  /** Unix time in milliseconds. */
  since: number;
  last?: Message;
  /** For whom a person answers. */
  avatar_id?: string;
}
