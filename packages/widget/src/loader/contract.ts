/** What the loader and the rest of the widget, which are two scripts, know of each other. */

/** The element, as the widget in it sees it. */
export interface WidgetHost {
  readonly element: HTMLElement & { getToken?: () => Promise<string> };
  /** What the widget fills. */
  readonly panel: HTMLElement;
  readonly root: ShadowRoot;
  /** Dispatches an event on the element. */
  emit(type: string, detail: unknown): void;
  /** Closes the panel. */
  close(): void;
}

/** What is in an element. It begins closed. */
export interface Widget {
  /** Shows itself; asks the service for what it needs at the first time. @param focus whether the focus goes into it */
  open(focus: boolean): void;
  /** Ends whatever it does; what is shown stays. */
  close(): void;
  /**
   * Says something, also before the visitor has chosen anything.
   *
   * @returns when the answer has come, or has been interrupted
   * @throws AvatarChatError if it failed; the visitor can retry it
   */
  send(text: string): Promise<void>;
  /** Empties the view. The stored history stays. */
  newConversation(): void;
  /** Starts over, as another user or with another service. */
  restart(): void;
  /** Closes for good. */
  end(): void;
}

export type CreateWidget = (host: WidgetHost) => Widget;

/** Where both scripts meet: the loader leaves its address, the widget what makes it. */
export interface Meeting {
  src: string;
  create?: CreateWidget;
}

const KEY = Symbol.for('avatar-chat');

/** Of this page. */
export function meeting(): Partial<Meeting> {
  const page = globalThis as { [KEY]?: Partial<Meeting> };
  return (page[KEY] ??= {});
}
