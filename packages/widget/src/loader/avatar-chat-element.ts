import { h, icon, isComposing } from '../core/dom.js';
import { storedValue } from '../core/storage.js';
import { errorView } from '../views/error-view.js';
import type { Widget } from './contract.js';
import styles from './host.css';
import { loadScript, loadWidget, scriptDirectory } from './load.js';
import { loaderStrings } from './strings.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

/** Attributes that identify the user; a change of the others only changes how the conversation continues. */
const IDENTITY = ['service', 'user-id', 'project-id', 'user-hash'];

/** Keyboard events do not leave the element, so that shortcuts of the host page do not catch what is typed. */
const KEY_EVENTS = ['keydown', 'keypress', 'keyup'];

/**
 * `<avatar-chat>`: a conversation with the avatars of a service.
 *
 * Attributes: `service` (its URL), `user-id`, `project-id`, `user-hash`, `avatar`, `language` and `chat-type` (the
 * page's choices; default: what the visitor chose last), `floating` (opened by a button in the corner), `theme`
 * (`light` or `dark`). The property `getToken` returns tokens from your own server.
 *
 * Events: `open`, `close`, `message`, `turn`, `error`, `unread` and `exchange`. `exchange` reports each request, like
 * the client's `onExchange`, and is the only one that bubbles.
 */
export class AvatarChatElement extends HTMLElement {
  static readonly observedAttributes = [...IDENTITY, 'avatar', 'language', 'chat-type'];

  // Not initialized here: a page may have set it before this script ran.
  declare getToken?: () => Promise<string>;

  private readonly root = this.attachShadow({ mode: 'open' });
  private readonly panel = h('section', { class: 'panel', hidden: true });
  private readonly launcher = h('button', { type: 'button', class: 'launcher', onclick: () => this.toggle() });
  private readonly frame = h('div', { class: 'frame' }, this.panel);
  private making?: Promise<Widget>;
  private made?: Widget;
  private opened = false;
  private readonly changed = new Set<string>();
  private unread = 0;

  constructor() {
    super();
    this.root.adoptedStyleSheets = [sheet];
    this.root.append(this.frame);
    for (const type of KEY_EVENTS) this.frame.addEventListener(type, (event) => event.stopPropagation());
    this.frame.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !isComposing(event) && !event.defaultPrevented && this.floating) this.close();
    });
  }

  /** Whether the panel is open. Without `floating` it is open from the start. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** Opens the panel. */
  open(): void {
    this.show(true);
  }

  /** Closes the panel, and ends everything in progress. */
  close(): void {
    if (!this.opened) return;
    const had = this.root.activeElement !== null;
    this.opened = false;
    this.made?.close();
    this.render();
    if (had && this.floating) this.launcher.focus();
    this.emit('close');
  }

  /**
   * Sends a message as the visitor; opens the panel.
   *
   * @returns when the answer is complete or was interrupted
   * @throws an error with a `code` and a `message` if it failed; the visitor sees it, and can retry
   */
  async send(text: string): Promise<void> {
    const words = String(text).trim();
    if (!words) throw new TypeError('There is nothing to send.');
    if (!this.isConnected) throw new Error('The element is not in a document.');
    this.show(true);
    await (await this.widget()).send(words);
  }

  /** Empties the view for a new conversation; opens the panel. The stored history stays. */
  newConversation(): void {
    if (!this.isConnected) return;
    this.show(true);
    void this.use((widget) => widget.newConversation());
  }

  /** Ends everything, and removes the element from the document. */
  destroy(): void {
    this.dispose();
    this.remove();
  }

  connectedCallback(): void {
    // It may have been moved within the document: then it continues.
    if (this.floating) this.float();
    else this.show(false);
  }

  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (!this.isConnected) this.dispose();
    });
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === 'language') this.render();
    if (!this.making) return;
    this.changed.add(name);
    if (this.changed.size > 1) return;
    // Once for all attributes that change together.
    queueMicrotask(() => {
      const isSomebodyElse = IDENTITY.some((one) => this.changed.has(one));
      this.changed.clear();
      if (isSomebodyElse) this.count(0);
      void this.making
        ?.then((widget) => (isSomebodyElse ? widget.restart() : widget.changeChoices()))
        .catch(() => undefined);
    });
  }

  private get floating(): boolean {
    return this.hasAttribute('floating');
  }

  private toggle(): void {
    if (this.opened) this.close();
    else this.open();
  }

  private show(focus: boolean): void {
    if (this.opened || !this.isConnected) return;
    this.opened = true;
    this.count(0);
    this.render();
    this.emit('open');
    void this.use((widget) => this.opened && widget.open(focus));
  }

  /** The widget, loaded on first use. */
  private widget(): Promise<Widget> {
    if (!this.making) {
      this.panel.replaceChildren(h('p', { class: 'loading', role: 'status' }, this.words.loading));
      const making = (this.making = this.load().then(({ create, directory }) => {
        if (this.making !== making) throw new Error('The element has been removed.');
        const { panel, root } = this;
        this.made = create({
          element: this,
          panel,
          root,
          directory,
          load: (name) => loadScript(directory + name),
          emit: (type, detail) => this.emit(type, detail),
          open: () => this.open(),
          close: () => this.close(),
        });
        return this.made;
      }));
    }
    return this.making;
  }

  private async load() {
    const directory = scriptDirectory(this.getAttribute('service'));
    return { directory, create: await loadWidget(directory) };
  }

  private async use(task: (widget: Widget) => void): Promise<void> {
    const making = this.widget();
    let widget: Widget;
    try {
      widget = await making;
    } catch (error) {
      if (this.making === making) this.fail(error);
      return;
    }
    task(widget);
  }

  private fail(error: unknown): void {
    const { words } = this;
    this.making = undefined;
    console.error(`avatar-chat: ${String((error as Error).message)}`);
    const retry = () => void this.use((widget) => this.opened && widget.open(true));
    this.panel.replaceChildren(errorView(words.failed, words.retry, retry));
    this.emit('error', { code: 'script_failed', message: String((error as Error).message) });
  }

  private dispose(): void {
    const { opened, made } = this;
    this.opened = false;
    this.making = this.made = undefined;
    made?.dispose();
    this.panel.replaceChildren();
    this.render();
    if (opened) this.emit('close');
  }

  /** Shows the button in its corner, above everything else on the page. */
  private float(): void {
    this.frame.append(this.launcher);
    this.render();
    if (!('showPopover' in this.frame)) return;
    this.frame.setAttribute('popover', 'manual');
    if (!this.frame.matches(':popover-open')) this.frame.showPopover();
  }

  private render(): void {
    const { opened, panel, launcher, words, unread } = this;
    panel.hidden = !opened;
    if (this.floating) panel.setAttribute('role', 'dialog');
    launcher.setAttribute('aria-expanded', String(opened));
    launcher.setAttribute('aria-label', opened ? words.close : words.open);
    if (unread > 0) launcher.setAttribute('aria-description', String(unread));
    else launcher.removeAttribute('aria-description');
    const badge = unread > 0 && h('span', { class: 'unread' }, String(Math.min(99, unread)));
    launcher.replaceChildren(icon(opened ? 'close' : 'chat'), badge || '');
  }

  private get words() {
    return loaderStrings(this.getAttribute('language') ?? storedValue('language') ?? navigator.language);
  }

  private count(unread: number): void {
    if (unread !== this.unread) this.emit('unread', { count: unread });
  }

  private emit(type: string, detail?: unknown): void {
    if (type === 'unread') {
      this.unread = (detail as { count: number }).count;
      this.render();
    }
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: type === 'exchange' }));
  }
}
