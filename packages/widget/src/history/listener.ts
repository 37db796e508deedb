import type { ConversationEvent, Message, SpokenSentence } from 'avatar-chat-client';
import type { Entry } from './history.js';

/** The states of a turn. */
export type TurnState = 'asked' | 'answering' | 'answered' | 'failed';

/** Callbacks of a conversation. */
export interface Listener {
  /** An entry was appended or has changed. */
  changed(entry: Entry): void;
  removed(entry: Entry): void;
  /** The newest page of the history has loaded. @param isEmpty whether it has no messages */
  begun(isEmpty: boolean): void;
  /** A message was stored. */
  stored(message: Message): void;
  turned(state: TurnState): void;
  /** A turn failed. Its entry shows that as well. */
  failed(error: unknown): void;
  /** A message that nobody here has waited for was added. */
  arrived(entry: Entry): void;
  /** Somebody else answers the turn, later. */
  handedOver(conversation: ConversationEvent): void;
  /** A sentence of the answer in progress, with audio. */
  sentence(sentence: SpokenSentence): void;
  /** The answer starts over: discard what came so far. */
  restarted(): void;
  /** The complete answer. @param heard whether it was spoken sentence by sentence */
  answered(entry: Entry, heard: boolean): void;
  /** The turn has ended, whatever the outcome. */
  idle(): void;
  /** A recording without a transcript. */
  wordless(file: Blob): void;
}
