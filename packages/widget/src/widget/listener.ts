import type { Message, SpokenSentence } from 'avatar-chat-client';
import type { Entry } from './history.js';

/** What becomes of a turn. */
export type TurnState = 'asked' | 'answering' | 'answered' | 'failed';

/** Told of what becomes of a conversation. */
export interface Listener {
  /** A new entry at the end, or one that has changed. */
  changed(entry: Entry): void;
  removed(entry: Entry): void;
  /** The newest page of the history is in view. @param isEmpty whether there is nothing on it */
  begun(isEmpty: boolean): void;
  /** A message has been stored. */
  stored(message: Message): void;
  turned(state: TurnState): void;
  /** A turn has failed, which its entry says as well. */
  failed(error: unknown): void;
  /** A message that had failed, by this key, has been sent after all. */
  sent(key: string): void;
  /** A sentence of the answer that is coming, spoken. */
  sentence(sentence: SpokenSentence): void;
  /** The answer begins anew: nothing of it has been said. */
  restarted(): void;
  /** The avatar's whole answer. @param heard whether it has been spoken sentence by sentence */
  answered(entry: Entry, heard: boolean): void;
  /** The turn is over, whatever became of it. */
  idle(): void;
  /** A recording in which no words were found. */
  wordless(file: Blob): void;
}
