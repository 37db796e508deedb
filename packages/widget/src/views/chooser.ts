import type { ConnectionResponse } from 'avatar-chat-client';
import { storeValue } from '../core/storage.js';
import { audio } from '../media/player.js';
import { type Choice } from '../core/choice.js';
import { startView } from './start-view.js';
import { directionOf, hasStrings, type LoadScript, loadStrings, stringsOf } from '../strings/index.js';

/** How long a start waits for greetings, in milliseconds. Later ones are shown when they come. */
const GREETINGS_MS = 1000;

/** The view in which a visitor chooses an avatar. The choice is remembered. */
export class Chooser {
  /** The pending request for greetings in the chosen language. */
  private greetings: Promise<void> = Promise.resolve();

  /**
   * @param choice updated as the visitor chooses
   * @param connect returns the avatars with greetings in a language
   */
  constructor(
    private readonly panel: HTMLElement,
    private readonly connection: ConnectionResponse,
    private readonly choice: Choice,
    private readonly connect: (language_code: string) => Promise<ConnectionResponse>,
    private readonly load: LoadScript,
    private readonly start: () => void,
  ) {}

  show(): void {
    const { panel, connection, choice } = this;
    const strings = stringsOf(choice.language_code);
    setLanguage(panel, choice.language_code);
    panel.setAttribute('aria-label', strings.choose);
    const changed = async () => {
      await loadStrings(choice.language_code, this.load);
      this.show();
      // Keep the focus on the chosen option in the new view.
      panel.querySelector<HTMLInputElement>(`input[value="${choice.language_code}"]`)?.focus();
      this.greetings = this.greetIn(choice.language_code);
    };
    const start = () => {
      audio();
      storeValue('avatar', choice.avatar._id);
      storeValue('language', choice.language_code);
      storeValue('chat-type', choice.chat_type);
      const waited = new Promise<void>((resolve) => setTimeout(resolve, GREETINGS_MS));
      void Promise.race([this.greetings, waited]).then(this.start);
    };
    panel.replaceChildren(startView(connection, strings, choice, () => void changed(), start));
  }

  private async greetIn(language_code: string): Promise<void> {
    const loaded = await this.connect(language_code).catch(() => undefined);
    if (!loaded || this.choice.language_code !== language_code) return;
    for (const { _id, greetingText } of loaded.avatars_info) {
      const greeting = this.panel.querySelector<HTMLElement>(`label[data-value="${_id}"] small`);
      // It may be in another language, which is marked as unknown.
      if (greeting) greeting.textContent = greetingText;
    }
  }
}

/** Sets the language and direction of a panel's texts. */
export function setLanguage(panel: HTMLElement, language_code: string): void {
  const known = hasStrings(language_code) ? language_code : 'en';
  panel.lang = known;
  panel.dir = directionOf(known);
}
