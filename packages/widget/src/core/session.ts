import type { ChatEvent, ConnectionResponse } from 'avatar-chat-client';
import type { Widget, WidgetHost } from '../loader/contract.js';
import { Access } from './access.js';
import { Chooser, setLanguage } from '../views/chooser.js';
import { h } from './dom.js';
import { suspendAudio } from '../media/player.js';
import { errorText, errorDetail } from './error-text.js';
import { reachableConnection } from './reachable.js';
import { type Choice, firstChoice, isSameChoice, isWholeChoice } from './choice.js';
import { loadStrings, stringsOf } from '../strings/index.js';
import styles from '../views/style.css';
import { loadPeople } from '../views/people-view.js';
import { Talk } from '../views/talk.js';
import { plainText } from '../text/markdown.js';
import { errorView } from '../views/error-view.js';
import { type Visitor, visitorOf } from './visitor.js';
import { attributeChoices, validLanguage, preferredChoices } from './preferences.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

/** The content of an element: the choice of an avatar, and the conversation. Requests a token when first opened. */
export class Session implements Widget {
  private visitor!: Visitor;
  private readonly access = new Access();
  private connection?: ConnectionResponse;
  private choice?: Choice;
  private talk?: Talk;
  /** Resolves when avatars and languages have loaded. */
  private ready?: Promise<void>;
  private isOpen = false;
  /** Whether the page has changed its choices while the panel was closed. */
  private isOutdated = false;
  private unread = 0;
  private readonly ended = new AbortController();
  /** Set while the user's event stream is followed. */
  private following?: AbortController;

  constructor(private readonly host: WidgetHost) {
    host.root.adoptedStyleSheets.push(sheet);
    const { signal } = this.ended;
    addEventListener('pagehide', () => this.talk?.saveUnsent(), { signal });
    this.identify();
  }

  open(focus: boolean): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.unread = 0;
    this.access.open();
    if (this.talk) {
      this.talk.resume();
      if (focus) this.talk.focus();
    } else if (this.connection) {
      if (focus) this.focusStart();
    } else {
      void this.startSession(focus).catch(() => undefined);
    }
    if (this.isOutdated) this.changeChoices();
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.talk?.pause();
    this.access.close();
    suspendAudio();
  }

  async send(text: string): Promise<void> {
    try {
      await (this.ready ?? this.startSession(false));
    } catch (error) {
      // Keep the text if it was typed by the user.
      this.visitor.store.draft ||= text;
      throw error;
    }
    if (!this.talk) this.showTalk(false);
    await this.talk?.sendMessage(text);
  }

  newConversation(): void {
    void (this.ready ?? this.startSession(true))
      .then(async () => {
        if (!this.talk) this.showTalk(true);
        const { talk } = this;
        await talk?.startOver();
        if (talk !== this.talk) return;
        talk?.close();
        this.talk = undefined;
        this.showTalk(true);
      })
      // Errors are already shown.
      .catch(() => undefined);
  }

  restart(): void {
    this.removeUser();
    this.identify();
    if (this.isOpen) void this.startSession(false).catch(() => undefined);
  }

  changeChoices(): void {
    this.isOutdated = !this.isOpen;
    // Whatever the error, the conversation continues as it was.
    if (this.isOpen) void this.followPage().catch(() => undefined);
  }

  dispose(): void {
    this.close();
    this.removeUser();
    this.ended.abort();
    const { root } = this.host;
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
  }

  /** Removes everything of the current user. */
  private removeUser(): void {
    this.talk?.close();
    this.following?.abort();
    this.access.close();
    this.following = this.talk = this.connection = this.choice = this.ready = undefined;
    this.unread = 0;
    this.host.panel.replaceChildren();
  }

  private identify(): void {
    if (this.isOpen) this.access.open();
    this.visitor = visitorOf(this.host, this.access);
  }

  private startSession(focus: boolean): Promise<void> {
    const beginning = this.connect(focus);
    this.ready = beginning;
    // Let the next call try again.
    beginning.catch(() => this.ready === beginning && (this.ready = undefined));
    return beginning;
  }

  private async connect(focus: boolean): Promise<void> {
    const { visitor } = this;
    const { service } = visitor;
    const { panel } = this.host;
    const wanted = preferredChoices(this.host.element);
    const { language } = wanted;
    const { signal } = this.access;
    const connecting = this.load(language);
    try {
      await Promise.race([connecting, loadStrings(language, this.host.load)]);
      setLanguage(panel, language);
      panel.replaceChildren(h('p', { class: 'loading', role: 'status' }, stringsOf(language).loading));
      const connection = await connecting;
      this.connection = connection;
      this.choice = firstChoice(connection, wanted);
      await loadStrings(this.choice.language_code, this.host.load);
      if (this.visitor !== visitor) throw new DOMException('The user has changed.', 'AbortError');
    } catch (failure) {
      const error = signal.aborted ? failure : await this.access.reason(failure, service);
      if (this.visitor === visitor && !signal.aborted) this.explain(error);
      throw error;
    }
    if (this.visitor.store.hasChosen || isWholeChoice(this.connection, attributeChoices(this.host.element)))
      this.showTalk(focus);
    else this.showStart(focus);
  }

  /** The avatars and languages, with greetings in a language. @throws if the user has changed meanwhile */
  private async load(language_code: string): Promise<ConnectionResponse> {
    const { visitor } = this;
    const options = { ...validLanguage(language_code), signal: this.access.signal };
    const connection = reachableConnection(await visitor.client.connect(options), visitor.service);
    if (this.visitor !== visitor) throw new DOMException('The user has changed.', 'AbortError');
    return connection;
  }

  /** Continues with the choices in the element's attributes, after the turn in progress. */
  private async followPage(): Promise<void> {
    await this.ready;
    const { choice, visitor, host } = this;
    if (!choice || !this.connection) return;
    const { avatar, language, chat_type } = attributeChoices(host.element);
    const wanted = {
      avatar: avatar ?? choice.avatar._id,
      language: language ?? choice.language_code,
      chat_type: chat_type ?? choice.chat_type,
    };
    const next = firstChoice(this.connection, wanted);
    if (isSameChoice(next, choice)) return;
    const [connection] = await Promise.all([
      this.load(next.language_code),
      loadStrings(next.language_code, host.load),
      this.talk?.whenIdle(),
    ]);
    if (this.visitor !== visitor || this.choice !== choice) return;
    this.connection = connection;
    this.choice = firstChoice(connection, wanted);
    const hasFocus = host.panel.contains(host.root.activeElement);
    if (!this.talk) return this.showStart(hasFocus);
    this.talk.close();
    this.talk = undefined;
    this.showTalk(hasFocus);
  }

  /** Shows an error in place of the content. */
  private explain(error: unknown): void {
    const strings = stringsOf(preferredChoices(this.host.element).language);
    const text = errorText(error, strings, '');
    const view = errorView(text, strings.retry, () => void this.startSession(true).catch(() => undefined));
    this.host.panel.replaceChildren(view);
    this.host.emit('error', errorDetail(error));
  }

  private showStart(focus: boolean): void {
    const { connection, choice, host } = this;
    if (!connection || !choice) return;
    const connect = async (language_code: string) => {
      const loaded = (this.connection = await this.load(language_code));
      if (choice.language_code === language_code) this.talk?.greet(loaded.avatars_info);
      return loaded;
    };
    const chooser = new Chooser(host.panel, connection, choice, connect, host.load, () => this.showTalk(true));
    chooser.show();
    if (focus) this.focusStart();
  }

  private focusStart(): void {
    this.host.panel.querySelector<HTMLElement>('.start-button, .trouble button')?.focus();
  }

  private showTalk(focus: boolean): void {
    const { connection, choice, host } = this;
    const { client, service, store } = this.visitor;
    if (!connection || !choice || this.talk) return;
    // The connection may be newer than the view in which the avatar was chosen.
    choice.avatar = connection.avatars_info.find(({ _id }) => _id === choice.avatar._id) ?? choice.avatar;
    store.hasChosen = true;
    const strings = stringsOf(choice.language_code);
    setLanguage(host.panel, choice.language_code);
    const back = () => {
      talk.close();
      this.talk = undefined;
      this.showStart(true);
    };
    const renew = () => this.newConversation();
    const signal = () => this.access.signal;
    const talk = new Talk({
      client,
      service,
      load: host.load,
      worklet: `${host.directory}widget.worklet.js`,
      store,
      connection,
      strings,
      choice,
      signal,
      emit: host.emit,
      begun: (newestId) => void this.follow(newestId),
      arrived: ({ id, name, text }) => this.announce(id, name, text),
      back,
      renew,
    });
    this.talk = talk;
    host.panel.setAttribute('aria-label', choice.avatar.name);
    host.panel.replaceChildren(talk.element);
    if (focus) talk.focus();
  }

  /** Follows what happens in the user's conversation, once, until the user changes or the element is removed. */
  private async follow(lastEventId: string | undefined): Promise<void> {
    if (this.following) return;
    const { signal } = (this.following = new AbortController());
    const { client } = this.visitor;
    while (!signal.aborted) {
      try {
        for await (const event of client.events({ lastEventId, signal })) {
          if (event.event === 'message') lastEventId = event.message._id;
          this.hear(event);
        }
      } catch {
        // Refused, or replaced by other pages of the user.
        await untilSeen(signal);
        if (lastEventId === undefined) this.hear({ event: 'reset' });
      }
    }
  }

  private hear(event: ChatEvent): void {
    if (this.talk) return this.talk.hear(event);
    if (event.event !== 'message') return;
    const { message } = event;
    this.host.emit('message', { message });
    if (message.direction === 'incoming') this.announce(message._id, message.avatar_name, message.answer);
  }

  /** A message has come by itself. */
  private announce(id: string | undefined, name = '', text = ''): void {
    if (!this.isOpen) this.host.emit('unread', { count: ++this.unread });
    if (document.visibilityState === 'visible') return;
    void loadPeople(this.host.load).then(({ notify }) => notify(id, name, plainText(text), this.host.open));
  }
}

/** Waits until the visitor looks at the page, anew. */
function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const seen = () => document.visibilityState === 'visible' && resolve();
    addEventListener('focus', seen, { signal });
    document.addEventListener('visibilitychange', seen, { signal });
  });
}
