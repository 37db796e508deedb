import { AvatarChat, type ConnectionResponse } from 'avatar-chat-client';
import { h, icon } from './dom.js';
import { keep, kept } from './kept.js';
import { audio } from './player.js';
import { problemText } from './problems.js';
import { reachableConnection } from './reachable.js';
import { type Choice, startView } from './start.js';
import { directionOf, hasStrings, stringsOf } from './strings/index.js';
import styles from './style.css';
import { Talk } from './talk.js';
import { userId } from './user.js';

/** Where the script came from: the service, unless the attribute `service` says otherwise. */
const SCRIPT =
  document.currentScript instanceof HTMLScriptElement ? new URL(document.currentScript.src).origin : location.origin;

const RETRIES = 2;

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

/**
 * `<avatar-chat>`: a conversation with the avatars of a service.
 *
 * Attributes: `service` (its address), `user-id`, `project-id`, `user-hash`, `avatar`, `language` and `chat-type` (what
 * is chosen at first; without them what the visitor chose last), `floating` (a button in the corner opens it), `theme`
 * (`light` or `dark`). The property `getToken` gets tokens from a server of yours.
 *
 * The event `exchange` tells of each request, as the client's `onExchange` does.
 */
export class AvatarChatElement extends HTMLElement {
  static readonly observedAttributes = ['service', 'user-id', 'project-id', 'user-hash'];

  getToken?: () => Promise<string>;

  private readonly root: ShadowRoot;
  private readonly panel = h('section', { class: 'panel' });
  private client?: AvatarChat;
  private connection?: ConnectionResponse;
  private choice?: Choice;
  private talk?: Talk;
  private beginning = false;
  /** Greetings in the chosen language, on their way. */
  private greetings: Promise<void> = Promise.resolve();

  constructor() {
    super();
    this.root = this.attachShadow({ mode: 'open' });
    this.root.adoptedStyleSheets = [sheet];
  }

  connectedCallback(): void {
    this.root.replaceChildren(this.panel);
    if (this.hasAttribute('floating')) this.float();
    this.beginSoon();
  }

  disconnectedCallback(): void {
    this.talk?.close();
    this.talk = undefined;
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.beginSoon();
  }

  /** Once for all attributes that change together. */
  private beginSoon(): void {
    if (this.beginning) return;
    this.beginning = true;
    queueMicrotask(() => {
      this.beginning = false;
      void this.begin();
    });
  }

  private async begin(): Promise<void> {
    this.talk?.close();
    this.talk = undefined;
    const { service } = this;
    const client = new AvatarChat({
      url: service,
      user_id: this.getAttribute('user-id') ?? userId(),
      project_id: this.getAttribute('project-id') ?? undefined,
      user_hash: this.getAttribute('user-hash') ?? undefined,
      getToken: this.getToken,
      // The user has waited as long as an answer may take, and can try again.
      retries: ({ code }, attempt) => code !== 'answer_timeout' && attempt < RETRIES,
      onExchange: (detail) => this.dispatchEvent(new CustomEvent('exchange', { detail, bubbles: true })),
    });
    this.client = client;
    const strings = stringsOf(this.language);
    this.speak(this.language);
    this.panel.replaceChildren(h('p', { class: 'loading', role: 'status' }, strings.loading));
    try {
      const connection = reachableConnection(await client.connect(inLanguage(this.language)), service);
      if (this.client !== client) return;
      this.connection = connection;
      this.choice = this.firstChoice(connection);
      this.showStart();
    } catch (error) {
      if (this.client !== client) return;
      const again = h(
        'button',
        { type: 'button', class: 'primary', onclick: () => void this.begin() },
        icon('retry'),
        strings.retry,
      );
      const problem = h('p', { role: 'alert' }, icon('alert'), problemText(error, strings, ''));
      this.panel.replaceChildren(h('div', { class: 'trouble' }, problem, again));
    }
  }

  private firstChoice({ avatars_info, languages, chat_types }: ConnectionResponse): Choice {
    const wanted = this.language;
    const base = wanted.split('-')[0];
    const language =
      languages.find(({ language_code }) => language_code === wanted) ??
      languages.find(({ language_code }) => language_code === base) ??
      languages[0];
    const wantedType = this.getAttribute('chat-type') ?? kept('chat-type');
    const wantedAvatar = this.getAttribute('avatar') ?? kept('avatar');
    const chat_type = chat_types.find((type) => type === wantedType) ?? chat_types[0]!;
    const avatar = avatars_info.find(({ _id }) => _id === wantedAvatar) ?? avatars_info[0]!;
    return { avatar, language_code: language?.language_code ?? 'en', chat_type };
  }

  private get service(): string {
    return new URL(this.getAttribute('service') ?? SCRIPT, location.href).href;
  }

  private get language(): string {
    return this.getAttribute('language') ?? kept('language') ?? navigator.language;
  }

  private showStart(): void {
    const { connection, choice } = this;
    if (!connection || !choice) return;
    const strings = stringsOf(choice.language_code);
    this.speak(choice.language_code);
    const changed = () => {
      this.showStart();
      // The choice that was made keeps the focus, in the view that took its place.
      this.panel.querySelector<HTMLInputElement>(`input[value="${choice.language_code}"]`)?.focus();
      this.greetings = this.loadGreetings(choice);
    };
    const start = () => {
      audio();
      keep('avatar', choice.avatar._id);
      keep('language', choice.language_code);
      keep('chat-type', choice.chat_type);
      void this.greetings.then(() => this.showTalk());
    };
    this.panel.replaceChildren(startView(connection, strings, choice, changed, start));
  }

  /** The avatars with their greetings in the language that has been chosen. */
  private async loadGreetings(choice: Choice): Promise<void> {
    const { client, service } = this;
    const { language_code } = choice;
    const loaded = await client?.connect(inLanguage(language_code)).catch(() => undefined);
    if (!loaded || this.client !== client || choice.language_code !== language_code) return;
    this.connection = reachableConnection(loaded, service);
    for (const { _id, greetingText } of this.connection.avatars_info) {
      const greeting = this.panel.querySelector(`label[data-value="${_id}"] small`);
      if (greeting) greeting.textContent = greetingText;
    }
  }

  private showTalk(): void {
    const { client, connection, choice } = this;
    if (!client || !connection || !choice || this.talk) return;
    // The connection may be newer than the view in which the avatar was chosen.
    choice.avatar = connection.avatars_info.find(({ _id }) => _id === choice.avatar._id) ?? choice.avatar;
    const strings = stringsOf(choice.language_code);
    const talk = new Talk(client, this.service, connection, strings, choice, () => {
      talk.close();
      this.talk = undefined;
      this.showStart();
      this.panel.querySelector<HTMLElement>('.start-button')?.focus();
    });
    this.talk = talk;
    this.panel.replaceChildren(talk.element);
    talk.focus();
  }

  /** The language and direction of the texts. */
  private speak(language_code: string): void {
    const known = hasStrings(language_code) ? language_code : 'en';
    this.panel.lang = known;
    this.panel.dir = directionOf(known);
  }

  private float(): void {
    const strings = stringsOf(this.language);
    const launcher = h('button', { type: 'button', class: 'launcher', 'aria-expanded': 'false' });
    const show = (open: boolean) => {
      this.panel.hidden = !open;
      if (!open) this.talk?.pause();
      launcher.setAttribute('aria-expanded', String(open));
      launcher.setAttribute('aria-label', open ? strings.close : strings.open);
      launcher.replaceChildren(icon(open ? 'close' : 'chat'));
    };
    launcher.addEventListener('click', () => show(Boolean(this.panel.hidden)));
    show(false);
    this.root.append(launcher);
  }
}

/** What is no language code may not even be fit for a header. */
function inLanguage(language_code: string): { language_code?: string } {
  return /^[\w-]{1,40}$/.test(language_code) ? { language_code } : {};
}
