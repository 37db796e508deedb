import type { Api } from '../core/api.js';
import type { FeedEvent } from '../core/feed.js';
import type { Conversation, ConversationState } from '../core/types.js';

/** Several changes at once cause one request. */
const RELOAD_MS = 150;
const PAGE = 50;

interface Page {
  conversations: Conversation[];
  cursor?: string;
}
type Listed = Exclude<ConversationState, 'avatar'>;

/** The conversations of a project that wait for a person, or that one has. */
export class Conversations {
  private readonly lists: Record<Listed, Page> = { waiting: { conversations: [] }, person: { conversations: [] } };
  private readonly listeners = new Set<() => void>();
  private timer?: ReturnType<typeof setTimeout>;

  constructor(
    private readonly api: Api,
    private readonly project_id: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  list(state: Listed): readonly Conversation[] {
    return this.lists[state].conversations;
  }

  hasMore(state: Listed): boolean {
    return this.lists[state].cursor !== undefined;
  }

  /** Its state; a conversation that is in no list is the avatar's. */
  find(user_id: string): Pick<Conversation, 'state' | 'name' | 'last' | 'avatar_id'> {
    const all = [...this.list('waiting'), ...this.list('person')];
    return all.find((conversation) => conversation.user_id === user_id) ?? { state: 'avatar' };
  }

  /** @returns stops listening */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async load(): Promise<void> {
    const pages = await Promise.all((['waiting', 'person'] as const).map((state) => this.page(state)));
    [this.lists.waiting, this.lists.person] = pages as [Page, Page];
    this.emitChange();
  }

  async loadMore(state: Listed): Promise<void> {
    const { conversations, cursor } = this.lists[state];
    const next = await this.page(state, cursor);
    this.lists[state] = { ...next, conversations: [...conversations, ...next.conversations] };
    this.emitChange();
  }

  handle(event: FeedEvent): void {
    if (event.type === 'message') {
      const conversation = [...this.list('waiting'), ...this.list('person')].find(
        ({ user_id }) => user_id === event.message.user_id,
      );
      if (!conversation) return;
      conversation.last = event.message;
      conversation.avatar_id = event.message.avatar_id;
      this.emitChange();
    } else if (event.type !== 'connected') {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.load().catch(this.onError), RELOAD_MS);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private page(state: Listed, cursor?: string): Promise<Page> {
    return this.api.json('conversations', { query: { project_id: this.project_id, state, limit: PAGE, cursor } });
  }

  private emitChange(): void {
    for (const listener of this.listeners) listener();
  }
}
