import type { ConversationEvent } from 'avatar-chat-client';
import { h } from '../core/dom.js';
import { loadPart } from '../core/parts.js';
import type { Entry } from '../history/conversation.js';
import type { notify } from '../people/notify.js';
import type { HandoverOffer, People, PeopleOptions } from '../people/people.js';
import type { speak } from '../people/speak.js';
import type { peopleStrings } from '../people/strings.js';
import type { Typist } from '../people/typist.js';
import type { Stage } from '../media/stage.js';
import type { LoadScript } from '../strings/index.js';
import type { Messages } from './messages.js';

interface PeoplePart {
  People: typeof People;
  Typist: typeof Typist;
  notify: typeof notify;
  peopleStrings: typeof peopleStrings;
  speak: typeof speak;
}

export const loadPeople = (load: LoadScript): Promise<PeoplePart> => loadPart<PeoplePart>('people', load);

/** Others who take part: who answers, and who is typing. Empty where no person can take over. */
export class PeopleView {
  readonly element = h('div', { class: 'people', role: 'group' });
  private people?: People;
  private typist?: Typist;
  private typing?: string;

  constructor(
    private readonly options: PeopleOptions,
    private readonly messages: Messages,
  ) {}

  /** Shows who answers, if a person may. */
  async meet(): Promise<void> {
    const { client, load, signal } = this.options;
    // Without it, the conversation goes on all the same; the next change tries again.
    const offer = await client.request<HandoverOffer>('/chat/handover', { signal: signal() }).catch(() => undefined);
    if (!offer?.enabled) return;
    const { People } = await loadPeople(load);
    this.people ??= new People(this.element, offer, this.options);
    await this.people.look();
  }

  /** Somebody else answers. */
  show(conversation: ConversationEvent): void {
    if (this.people) this.people.show(conversation);
    else this.begin();
  }

  begin(): void {
    this.meet().catch(() => undefined);
  }

  /** Has the avatar say a message that came by itself. */
  async speak(entry: Entry, stage: Stage): Promise<void> {
    const { speak } = await loadPeople(this.options.load);
    await speak(entry, this.options, stage);
  }

  /** Shows that somebody is typing; undefined: nobody. */
  async showTyping(name?: string): Promise<void> {
    this.typing = name;
    if (name === undefined) return this.typist?.hide();
    const { Typist, peopleStrings } = await loadPeople(this.options.load);
    this.typist ??= new Typist(this.messages, peopleStrings(this.options.strings.tag));
    if (this.typing === name) this.typist.show(name);
  }
}
