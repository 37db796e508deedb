import type { Api } from './core/api.js';
import type { FeedEvent } from './core/feed.js';
import type { Conversations } from './inbox/conversations.js';

/** What the key of this operator allows in a project. */
export interface Access {
  conversations: boolean;
  statistics: boolean;
  /** Everything in the project. */
  owner: boolean;
  /** The catalogue, and other projects. */
  catalogue: boolean;
}

/** What pages work with: an operator in a project. */
export interface Workplace {
  readonly api: Api;
  readonly project_id: string;
  /** The operator's, which users see. */
  readonly name: string;
  readonly access: Access;
  readonly conversations: Conversations;
}

/** A page. */
export interface PageView {
  readonly title: string;
  readonly element: HTMLElement;
  /** Where the focus goes when the page opens. Omitted: its heading. */
  focus?: (() => void) | undefined;
  handle?(event: FeedEvent): void;
  /** Whether it has text that would be lost. Omitted: never. */
  isChanged?(): boolean;
  dispose?(): void;
}
