import type { ConnectionResponse } from 'avatar-chat-client';
import { keep } from './kept.js';
import { audio } from './player.js';
import { type Choice, startView } from './start.js';
import { directionOf, hasStrings, stringsOf } from './strings/index.js';

/** Where a visitor chooses whom to talk with; the choice is kept for the next time. */
export class Chooser {
  /** Greetings in the chosen language, on their way. */
  private greetings: Promise<void> = Promise.resolve();

  /**
   * @param choice is changed as the visitor chooses
   * @param connect gives the avatars with their greetings in a language
   */
  constructor(
    private readonly panel: HTMLElement,
    private readonly connection: ConnectionResponse,
    private readonly choice: Choice,
    private readonly connect: (language_code: string) => Promise<ConnectionResponse>,
    private readonly start: () => void,
  ) {}

  show(): void {
    const { panel, connection, choice } = this;
    const strings = stringsOf(choice.language_code);
    speak(panel, choice.language_code);
    panel.setAttribute('aria-label', strings.choose);
    const changed = () => {
      this.show();
      // The choice that was made keeps the focus, in the view that took its place.
      panel.querySelector<HTMLInputElement>(`input[value="${choice.language_code}"]`)?.focus();
      this.greetings = this.greetIn(choice.language_code);
    };
    const start = () => {
      audio();
      keep('avatar', choice.avatar._id);
      keep('language', choice.language_code);
      keep('chat-type', choice.chat_type);
      void this.greetings.then(this.start);
    };
    panel.replaceChildren(startView(connection, strings, choice, changed, start));
  }

  private async greetIn(language_code: string): Promise<void> {
    const loaded = await this.connect(language_code).catch(() => undefined);
    if (!loaded || this.choice.language_code !== language_code) return;
    for (const { _id, greetingText } of loaded.avatars_info) {
      const greeting = this.panel.querySelector(`label[data-value="${_id}"] small`);
      if (greeting) greeting.textContent = greetingText;
    }
  }
}

/** The language and direction of the texts in a panel. */
export function speak(panel: HTMLElement, language_code: string): void {
  const known = hasStrings(language_code) ? language_code : 'en';
  panel.lang = known;
  panel.dir = directionOf(known);
}
