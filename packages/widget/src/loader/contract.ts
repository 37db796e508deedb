import type { Strings } from '../strings/strings.js';

/** The interface between the loader and the rest of the widget, which are separate scripts. */

/** The element from the widget's point of view. */
export interface WidgetHost {
  readonly element: HTMLElement & { getToken?: () => Promise<string> };
  /** The container that the widget fills. */
  readonly panel: HTMLElement;
  readonly root: ShadowRoot;
  /** The URL of the directory that the widget's scripts come from, with a trailing slash. */
  readonly directory: string;
  /** Loads another script of that directory, once. */
  load(name: string): Promise<void>;
  /** Dispatches an event on the element. */
  emit(type: string, detail: unknown): void;
  /** Opens the panel. */
  open(): void;
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
  /** The page has changed its choice of an avatar, a language or a mode. */
  changeChoices(): void;
  /** Closes permanently. */
  dispose(): void;
}

export type CreateWidget = (host: WidgetHost) => Widget;

/** Shared by all scripts: the loader leaves its URL, if it has one, the widget its factory, and languages their texts. */
export interface SharedState {
  src: string;
  create: CreateWidget;
  strings: Record<string, Strings>;
  /** Modules of the widget that its parts use. */
  modules: Record<string, object>;
  /** What only some conversations need, in scripts of their own. */
  parts: Record<string, object>;
}

const KEY = Symbol.for('avatar-chat');

/** The one of this page. */
export function sharedState(): Partial<SharedState> {
  const page = globalThis as { [KEY]?: Partial<SharedState> };
  return (page[KEY] ??= {});
}
