/** The interface between the loader and the rest of the widget, which are separate scripts. */

/** The element from the widget's point of view. */
export interface WidgetHost {
  readonly element: HTMLElement & { getToken?: () => Promise<string> };
  /** The container that the widget fills. */
  readonly panel: HTMLElement;
  readonly root: ShadowRoot;
  /** Dispatches an event on the element. */
  emit(type: string, detail: unknown): void;
  /** Closes the panel. */
  close(): void;
}

/** The widget inside an element. Initially closed. */
export interface Widget {
  /** Shows the widget; the first time, loads what it needs from the service. @param focus whether to move the focus into it */
  open(focus: boolean): void;
  /** Ends everything in progress. The content stays. */
  close(): void;
  /**
   * Sends a message, even before the visitor has chosen an avatar.
   *
   * @returns when the answer is complete or was interrupted
   * @throws AvatarChatError if it failed; the visitor can retry
   */
  send(text: string): Promise<void>;
  /** Empties the view. The stored history stays. */
  newConversation(): void;
  /** Starts over with another user or service. */
  restart(): void;
  /** Closes permanently. */
  end(): void;
}

export type CreateWidget = (host: WidgetHost) => Widget;

/** Shared by both scripts: the loader leaves its URL, the widget its factory. */
export interface SharedState {
  src: string;
  create?: CreateWidget;
}

const KEY = Symbol.for('avatar-chat');

/** The one of this page. */
export function sharedState(): Partial<SharedState> {
  const page = globalThis as { [KEY]?: Partial<SharedState> };
  return (page[KEY] ??= {});
}
