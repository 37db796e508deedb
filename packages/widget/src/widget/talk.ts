import type { AvatarChat, ConnectionResponse, SpokenSentence } from 'avatar-chat-client';
import { Composer } from './composer.js';
import { Conversation, type Entry } from './conversation.js';
import { h, icon } from './dom.js';
import { Messages } from './messages.js';
import { problemText } from './problems.js';
import { Stage } from './stage.js';
import type { Choice } from './start.js';
import { fill, type Strings } from './strings/index.js';
import { Voice } from './voice.js';
import { wordsForm } from './words.js';

/** A conversation with one avatar: its face, what is said, and the ways to say something. */
export class Talk {
  readonly element: HTMLElement;
  private readonly conversation: Conversation;
  private readonly stage: Stage;
  private readonly messages: Messages;
  private readonly composer: Composer;
  private readonly voice?: Voice;
  private readonly caption = h('p', { class: 'caption' });
  private readonly spoken = h('p', { class: 'unseen', role: 'status' });
  private readonly alert = h('div', { class: 'alert', role: 'alert', hidden: true });
  private readonly extra = h('div', { class: 'extra' });
  private readonly name: string;
  private readonly opened = new AbortController();
  private speaking = false;
  private asked = false;
  /** Whether the last recording was sent without words. */
  private wordless = false;
  /** Whether a recording without words has been understood. */
  private understood = false;

  constructor(
    client: AvatarChat,
    service: string,
    connection: ConnectionResponse,
    private readonly strings: Strings,
    choice: Choice,
    back: () => void,
  ) {
    const { avatar, language_code, chat_type } = choice;
    this.name = avatar.name;
    this.stage = new Stage(avatar, client, (speaking) => {
      this.speaking = speaking;
      this.show();
    });
    const listener = {
      changed: (entry: Entry) => {
        if (this.wordless && entry.mine && entry.state === 'done' && entry.text && this.voice)
          this.understood = this.voice.understands = true;
        this.messages.change(entry);
        this.show();
      },
      removed: (entry: Entry) => this.messages.remove(entry),
      sentence: (sentence: SpokenSentence) => void this.stage.say(sentence),
      restarted: () => this.stage.stop(),
      answered: (entry: Entry, heard: boolean) => {
        this.spoken.textContent = `${this.name}: ${entry.text}`;
        if (entry.recording && !heard) void this.stage.play(entry.recording, false);
      },
      wordless: (file: Blob) => this.askForWords(file),
      idle: () => this.show(),
    };
    this.conversation = new Conversation(client, service, connection, listener, choice);
    this.messages = new Messages(
      this.conversation,
      strings,
      connection.messageTimeoutSeconds,
      ({ recording, mine }) => recording && void this.stage.play(recording, mine),
    );
    this.composer = new Composer(
      strings,
      avatar.name,
      (text) => this.say(text),
      () => this.speaking && this.stage.stop(),
      () => this.hush(),
    );
    if (chat_type !== 'text') {
      const { vadEnabled, voiceModeSelector, stopSpeakingTimeoutSeconds } = connection;
      const video = chat_type === 'video';
      this.voice = new Voice(
        strings,
        { vadEnabled, voiceModeSelector, stopSpeakingTimeoutSeconds, language_code, video },
        {
          speech: () => this.hush(),
          recorded: (file, words) => this.say(words, file),
          failed: (error) => this.fail(error),
          avatarSpeaks: () => this.speaking,
        },
      );
    }
    this.element = h(
      'div',
      { class: `talk as-${chat_type}`, onkeydown: (event: KeyboardEvent) => event.key === 'Escape' && this.hush() },
      h(
        'div',
        { class: 'face' },
        h('button', { type: 'button', class: 'back', 'aria-label': strings.back, onclick: back }, icon('back')),
        this.stage.element,
        h('div', { class: 'label' }, h('h2', {}, avatar.name), this.caption),
      ),
      h(
        'div',
        { class: 'column' },
        this.messages.element,
        this.alert,
        this.extra,
        this.voice?.element,
        this.composer.element,
      ),
      this.spoken,
    );
    this.messages.note(avatar.greetingText, avatar.name);
    this.spoken.textContent = `${avatar.name}: ${avatar.greetingText}`;
    if (chat_type !== 'text') void this.greet(client, choice);
  }

  get draft(): string {
    return this.composer.draft;
  }
  set draft(text: string) {
    this.composer.draft = text;
  }

  focus(): void {
    this.composer.focus();
  }

  /** Nobody looks on any more: microphone, camera, sound and the turn in progress end; the conversation stays. */
  pause(): void {
    this.voice?.close();
    this.hush();
  }

  close(): void {
    this.pause();
    this.stage.close();
    this.messages.close();
  }

  /** Says the greeting, unless somebody says something before its sound is here. */
  private async greet(client: AvatarChat, { avatar, language_code }: Choice): Promise<void> {
    const { signal } = this.opened;
    const greeting = await client.greeting(avatar._id, { language_code, signal }).catch(() => undefined);
    if (greeting?.url === undefined || signal.aborted) return;
    await this.stage.say({ url: greeting.url, phonemes: greeting.phonemes });
  }

  private say(words: string | undefined, file?: Blob): void {
    this.alert.hidden = true;
    this.wordless = file !== undefined && words === undefined;
    this.opened.abort();
    this.stage.stop();
    this.extra.replaceChildren();
    this.conversation.say(words, file);
    this.messages.toEnd();
  }

  /** The user begins to speak, or wants silence. */
  private hush(): void {
    this.opened.abort();
    this.stage.stop();
    this.conversation.interrupt();
  }

  /**
   * The first time asks for the words; afterwards the hint beside the microphone says what to do. Where recordings have been
   * understood before, it was noise or a mumble: the microphone stays as it is.
   */
  private askForWords(file: Blob): void {
    if (this.voice) this.voice.understands = false;
    if (this.understood) return;
    this.voice?.close();
    if (this.asked) return this.composer.focus();
    this.asked = true;
    const form = wordsForm(
      this.strings,
      (words) => this.say(words, file),
      () => this.extra.replaceChildren(),
    );
    this.extra.replaceChildren(form);
  }

  private fail(error: unknown): void {
    this.alert.hidden = false;
    this.alert.replaceChildren(icon('alert'), problemText(error, this.strings, this.name));
  }

  private show(): void {
    const { busy } = this.conversation;
    this.composer.busy = busy || this.speaking;
    const text = this.speaking ? this.strings.speaking : busy ? this.strings.thinking : '';
    this.caption.textContent = fill(text, { name: this.name });
  }
}
