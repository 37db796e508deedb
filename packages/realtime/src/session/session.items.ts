import { type ClientEvent, givenItem } from './client.event.js';
import { type Conversation, type Item, newItemId, toItemEvent } from './conversation.js';
import type { ServerEvent } from '../live.connection.js';
import { LiveError } from '../live.error.js';
import { numberOf, textOf } from './session.fields.js';
import type { VoiceUpstream } from '../upstream/upstreams.js';

/** The items of a session's conversation, for the client: handles its events, and reports what is added and removed. */
export class SessionItems {
  constructor(
    private readonly conversation: Conversation,
    private readonly upstream: VoiceUpstream | undefined,
    private readonly send: (event: ServerEvent) => void,
  ) {}

  /**
   * Handles a `conversation.item.create`.
   *
   * @param seesImages whether the avatar's model can see pictures
   * @returns the item, with the speech that is to be transcribed, if any
   */
  create({ item, previous_item_id }: ClientEvent, seesImages: boolean): { added: Item; audio?: Buffer } {
    const { id = newItemId(), audio, ...given } = givenItem(item, seesImages);
    if (this.conversation.find(id))
      throw new LiveError('item_create_duplicate_item_id', 'There is an item with this id already.');
    const after = textOf(previous_item_id, 'previous_item_id');
    if (after !== undefined && after !== 'root' && !this.conversation.find(after))
      throw new LiveError('item_create_invalid_previous_item_id', 'previous_item_id is not known.');
    const added: Item = {
      ...given,
      id,
      status: 'completed',
      text: audio ? null : given.text,
      spoken: audio !== undefined,
      ...(given.role === 'user' ? {} : { isSeeded: true }),
    };
    this.add(added, after);
    return { added, ...(audio ? { audio } : {}) };
  }

  /** Handles a `conversation.item.retrieve`. */
  retrieve(event: ClientEvent): void {
    this.send({ type: 'conversation.item.retrieved', item: toItemEvent(this.itemOf(event, 'retrieve')) });
  }

  /** Handles a `conversation.item.delete`. */
  delete(event: ClientEvent): void {
    this.remove(this.itemOf(event, 'delete').id);
  }

  /** Handles a `conversation.item.truncate`. */
  async truncate(event: ClientEvent): Promise<void> {
    const { audio_end_ms, content_index } = event;
    const { id, answer, spoken } = this.itemOf(event, 'truncate');
    if (typeof audio_end_ms !== 'number' || !Number.isFinite(audio_end_ms))
      throw new LiveError('invalid_value', 'audio_end_ms must be a number.');
    numberOf(content_index, 'content_index', 0, 0);
    if (!answer || !spoken) throw new LiveError('invalid_value', 'Only spoken items of the avatar can be cut.');
    const cut = await answer.truncate(Math.round(audio_end_ms));
    this.send({ type: 'conversation.item.truncated', item_id: id, content_index: 0, audio_end_ms: cut });
  }

  /** @param after the item that it follows; by default the last */
  add(item: Item, after?: string): void {
    const previous_item_id = this.conversation.add(item, after);
    const shown = toItemEvent(item);
    this.send({ type: 'conversation.item.added', previous_item_id, item: shown });
    this.send({ type: 'conversation.item.done', previous_item_id, item: shown });
  }

  remove(item_id: string): void {
    this.upstream?.forget(this.conversation.find(item_id));
    this.conversation.remove(item_id);
    this.send({ type: 'conversation.item.deleted', item_id });
  }

  /** Also turns that are still being transcribed: they may have been spoken before an erasure. */
  clear(): void {
    for (const id of this.conversation.all.map((item) => item.id)) this.remove(id);
  }

  private itemOf({ item_id }: ClientEvent, action: 'retrieve' | 'delete' | 'truncate'): Item {
    const item = this.conversation.find(item_id);
    if (!item) throw new LiveError(`item_${action}_invalid_item_id`, 'There is no such item in this session.');
    return item;
  }
}
