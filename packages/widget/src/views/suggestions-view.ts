import type { TurnClient } from 'avatar-chat-client';
import { h, releaseFocus } from '../core/dom.js';
import type { Strings } from '../strings/index.js';

/** Suggested questions as buttons. Hidden until there are any, and after something has been said. */
export class SuggestionsView {
  readonly element: HTMLElement;

  constructor(
    strings: Strings,
    private readonly send: (text: string) => void,
  ) {
    this.element = h('div', { class: 'suggestions', role: 'group', 'aria-label': strings.suggestions, hidden: true });
  }

  /** Shows the questions for an avatar in a language; none if they cannot be loaded. */
  async show(client: TurnClient, avatar_id: string, language_code: string, signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({ avatar_id, language_code });
    const path = `/suggestions?${query}`;
    const found = await client.request<{ suggestions: string[] }>(path, { signal }).catch(() => undefined);
    if (!found?.suggestions.length || signal.aborted) return;
    this.element.replaceChildren(
      ...found.suggestions.map((text) =>
        h('button', { type: 'button', class: 'suggestion', dir: 'auto', onclick: () => this.send(text) }, text),
      ),
    );
    this.element.hidden = false;
  }

  hide(): void {
    releaseFocus(this.element);
    this.element.hidden = true;
  }
}
