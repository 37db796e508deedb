import type { Entry } from '../history/conversation.js';
import type { Messages } from '../views/messages.js';
import type { PeopleStrings } from './strings.js';

/** If it takes no longer than this, in milliseconds, only the message is shown. */
const DELAY_MS = 400;
/** The service repeats it every five seconds. */
const LASTS_MS = 7000;

/** Shows that somebody is typing, below the messages. */
export class Typist {
  private readonly entry: Entry = { mine: false, text: '', state: 'typing' };
  private beginning?: ReturnType<typeof setTimeout>;
  private end?: ReturnType<typeof setTimeout>;

  constructor(
    private readonly messages: Messages,
    private readonly words: PeopleStrings,
  ) {}

  show(name: string): void {
    if (this.entry.name !== name) {
      this.hide();
      this.entry.name = name;
      this.entry.text = this.words.typing.replace('{name}', () => name);
      this.beginning = setTimeout(() => this.messages.change(this.entry), DELAY_MS);
    }
    clearTimeout(this.end);
    this.end = setTimeout(() => this.hide(), LASTS_MS);
  }

  hide(): void {
    clearTimeout(this.beginning);
    clearTimeout(this.end);
    this.entry.name = undefined;
    this.messages.remove(this.entry);
  }
}
