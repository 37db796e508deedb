import type { Stage } from '../media/stage.js';
import { SuggestionsView } from './suggestions-view.js';
import type { TalkOptions } from './talk-options.js';

/** How an avatar opens a conversation: with its greeting and suggested questions, until somebody says something. */
export class Opening {
  private readonly suggestions: SuggestionsView;
  private readonly over = new AbortController();

  constructor(
    private readonly options: TalkOptions,
    private readonly stage: Stage,
    ask: (question: string) => void,
  ) {
    this.suggestions = new SuggestionsView(options.strings, ask);
  }

  /** The suggested questions. */
  get element(): HTMLElement {
    return this.suggestions.element;
  }

  async showOpening(): Promise<void> {
    await Promise.all([this.greet(), this.suggest()]);
  }

  /** Stops the greeting. */
  stopGreeting(): void {
    this.over.abort();
  }

  /** Somebody has said something: hides the questions as well. */
  hide(): void {
    this.stopGreeting();
    this.suggestions.hide();
  }

  /** Plays the greeting, unless somebody says something before its audio has loaded. */
  private async greet(): Promise<void> {
    const { client, choice } = this.options;
    const { avatar, language_code, chat_type } = choice;
    const { signal } = this.over;
    if (chat_type === 'text' || signal.aborted) return;
    const greeting = await client.greeting(avatar._id, { language_code, signal }).catch(() => undefined);
    if (greeting?.url === undefined || signal.aborted) return;
    await this.stage.queueSentence({ url: greeting.url, phonemes: greeting.phonemes, text: greeting.text });
  }

  private suggest(): Promise<void> {
    const { client, choice } = this.options;
    return this.suggestions.show(client, choice.avatar._id, choice.language_code, this.over.signal);
  }
}
