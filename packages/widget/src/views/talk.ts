import type { AvatarInfo, ChatEvent } from 'avatar-chat-client';
import { Alert } from './alert.js';
import { SavedVideos } from '../media/saved-videos.js';
import { Composer } from './composer.js';
import { Conversation, type Entry, type Listener, type TurnState } from '../history/conversation.js';
import { Draft } from './draft.js';
import { h, isComposing } from '../core/dom.js';
import { Face } from './face.js';
import { plainText } from '../text/markdown.js';
import { Messages } from './messages.js';
import { Opening } from './opening.js';
import { PeopleView } from './people-view.js';
import { errorDetail } from '../core/error-text.js';
import { Ratings } from '../history/ratings.js';
import type { TalkOptions } from './talk-options.js';
import { VoiceInput, type VoiceInputListener } from '../voice/voice-input.js';

/** A conversation with one avatar: its face, the messages, and the inputs. */
export class Talk {
  readonly element: HTMLElement;
  private readonly conversation: Conversation;
  private readonly face: Face;
  private readonly messages: Messages;
  private readonly composer: Composer;
  private readonly voice: VoiceInput;
  private readonly spoken = h('p', { class: 'unseen', role: 'status' });
  private readonly alert: Alert;
  private readonly draft: Draft;
  private readonly opening: Opening;
  private readonly people: PeopleView;
  private isPaused = false;
  /** Whether the history has to be read again. */
  private isStale = false;
  private waiting: (() => void)[] = [];

  constructor(private readonly options: TalkOptions) {
    const { client, connection, strings, store } = options;
    const { avatar, chat_type, language_code } = options.choice;
    this.alert = new Alert(options);
    this.face = new Face(options, () => this.show());
    this.conversation = new Conversation(options, this.listener);
    this.messages = new Messages(
      this.conversation,
      {
        strings,
        name: avatar.name,
        language_code,
        ratings: new Ratings(client),
        videos: new SavedVideos(strings),
        play: ({ recording, mine }) => {
          this.alert.hide();
          if (recording) this.face.stage.play(recording, mine).catch((error: unknown) => this.alert.show(error));
        },
        failed: (error) => this.alert.show(error),
      },
      connection.messageTimeoutSeconds,
    );
    this.opening = new Opening(options, this.face.stage, (text) => this.send(text));
    this.composer = new Composer(
      strings,
      avatar.name,
      (text) => this.send(text),
      () => {
        this.draft.changed();
        if (this.face.speaking) this.silence();
      },
      () => this.hush(),
    );
    this.draft = new Draft(store, this.composer);
    const listener = {
      changed: (name?: string) => {
        this.face.speaker = this.composer.addressee = name;
        this.show();
      },
      failed: (error: unknown) => this.alert.show(error),
    };
    this.people = new PeopleView({ ...options, ...listener }, this.messages);
    this.voice = new VoiceInput(options, this.voiceListener);
    const { messages, opening, alert, people, voice, composer } = this;
    const views = [messages, opening, alert, people, { element: voice.extra }, voice, composer];
    this.element = h(
      'div',
      { class: `talk as-${chat_type}`, onkeydown: (event: KeyboardEvent) => this.escape(event) },
      this.face.element,
      h('div', { class: 'column' }, ...views.map(({ element }) => element)),
      this.spoken,
    );
    const { greetingText: text, name } = avatar;
    // An avatar without a greeting in this language greets in another.
    this.messages.greeting = { mine: false, text, name, language_code: '', state: 'done' };
  }

  private get listener(): Listener {
    return {
      changed: (entry) => {
        if (entry.mine && entry.state === 'done') this.voice.noteAccepted(entry);
        this.change(entry);
      },
      removed: (entry) => this.remove(entry),
      begun: (isEmpty) => {
        this.options.begun(this.conversation.history.newestId);
        this.people.begin();
        if (!isEmpty) return;
        this.announce(this.messages.greeting!);
        void this.opening.showOpening();
      },
      stored: (message) => {
        this.options.emit('message', { message });
      },
      turned: (state) => this.turned(state),
      failed: (error) => this.options.emit('error', errorDetail(error)),
      arrived: (entry) => {
        if (!entry.mine) {
          this.announce(entry);
          this.options.arrived(entry);
        }
        // A live session says it by itself.
        if (this.isPaused || this.options.choice.chat_type === 'text' || this.voice.isLive) return;
        this.people.speak(entry, this.face.stage).catch(() => undefined);
      },
      handedOver: (conversation) => this.hear(conversation),
      sentence: (sentence) => void this.face.stage.queueSentence(sentence),
      restarted: () => this.face.stage.stop(),
      answered: (entry, heard) => {
        this.announce(entry);
        // What cannot be heard can be read.
        if (entry.recording && !heard) this.face.stage.play(entry.recording, false).catch(() => undefined);
      },
      wordless: (file) => this.voice.askForWords(file),
      idle: () => this.show(),
    };
  }

  private get voiceListener(): VoiceInputListener {
    return {
      changed: (entry) => {
        this.conversation.history.expect(entry);
        this.change(entry);
      },
      removed: (entry) => this.remove(entry),
      answered: (entry) => this.announce(entry),
      turned: (state) => this.turned(state),
      sounds: (sound) => this.face.stage.follow(sound),
      speech: () => {
        this.alert.hide();
        this.opening.stopGreeting();
        this.silence();
        this.conversation.listen();
      },
      send: (words, file) => this.send(words, file),
      failed: (error) => this.alert.show(error),
      avatarSpeaks: () => this.face.speaking,
      write: () => this.composer.focus(),
    };
  }

  private change(entry: Entry): void {
    if (entry.mine && entry.state === 'done') this.opening.hide();
    this.messages.change(entry);
    this.show();
  }

  private remove(entry: Entry): void {
    this.conversation.history.dismiss(entry);
    this.messages.remove(entry);
    this.show();
  }

  private turned(state: TurnState): void {
    this.options.emit('turn', { avatar_id: this.options.choice.avatar._id, state });
  }

  /** Greetings in the language of the conversation have come. */
  greet(avatars: readonly AvatarInfo[]): void {
    const text = avatars.find(({ _id }) => _id === this.conversation.avatar._id)?.greetingText;
    if (text) this.messages.greet(text);
  }

  focus(): void {
    this.composer.focus();
  }

  /** Whether an answer is pending or in progress. */
  private get isBusy(): boolean {
    return this.conversation.busy || this.voice.busy;
  }

  /** The panel was closed: microphone, camera, audio and the turn in progress end; the conversation stays. */
  pause(): void {
    this.isPaused = true;
    this.hush();
    this.draft.saveDraft();
    this.voice.close();
    this.face.stage.pause();
  }

  /** Resolves when no answer is pending, in progress, or being spoken. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.show();
    });
  }

  resume(): void {
    this.isPaused = false;
    this.face.stage.resume();
    if (this.isStale) void this.readAgain();
  }

  close(): void {
    this.pause();
    this.face.close();
    void this.people.showTyping();
    this.messages.close();
  }

  /** Called when the page is left. */
  saveUnsent(): void {
    this.draft.saveDraft();
    this.voice.close();
    this.conversation.saveUnsent();
  }

  /** Something has happened in the user's conversation. */
  hear(event: ChatEvent): void {
    switch (event.event) {
      case 'message':
        if (event.message.direction === 'incoming') void this.people.showTyping();
        return this.conversation.receive(event.message);
      case 'typing':
        // The turn in progress shows its own state.
        if (!this.isBusy) void this.people.showTyping(event.name).catch(() => undefined);
        return;
      case 'conversation':
        return this.people.show(event);
      case 'messages_removed':
        if (event.ids) return this.conversation.forget(event.ids);
      // falls through
      case 'reset':
        void this.readAgain();
    }
  }

  /** Reads the history again, when the panel is open and nothing is in progress. */
  private async readAgain(): Promise<void> {
    this.isStale = true;
    do {
      // A page that is being loaded belongs to what is removed.
      await this.messages.loading;
      await this.whenIdle();
    } while (this.messages.loading);
    if (this.isPaused || !this.isStale) return;
    this.isStale = false;
    this.conversation.startAgain();
    this.messages.startAgain();
    this.people.begin();
  }

  /** Starts a new conversation. */
  async startOver(): Promise<void> {
    const isCut = this.conversation.busy;
    this.hush();
    this.draft.saveDraft();
    this.voice.close();
    try {
      await this.conversation.startOver(isCut);
    } catch (error) {
      this.alert.show(error);
      throw error;
    }
  }

  /** @throws the error that made it fail */
  sendMessage(words: string | undefined, file?: Blob): Promise<void> {
    this.alert.hide();
    this.voice.sending(words, file);
    void this.people.showTyping();
    this.opening.hide();
    this.face.stage.stop();
    this.draft.saveDraft();
    const live = file || words === undefined ? undefined : this.voice.sendText(words);
    const said = live ?? this.conversation.sendMessage(words, file);
    this.messages.toEnd();
    return said;
  }

  private send(words: string | undefined, file?: Blob): void {
    // The entry already shows the error.
    void this.sendMessage(words, file).catch(() => undefined);
  }

  private escape(event: KeyboardEvent): void {
    const isActive = this.face.stage.player.playing || this.isBusy || this.face.speaking;
    if (event.key !== 'Escape' || isComposing(event) || !isActive) return;
    // Otherwise it would close the panel.
    event.preventDefault();
    this.hush();
  }

  /** The user starts to speak, or wants silence. */
  private hush(): void {
    this.opening.stopGreeting();
    this.silence();
    this.conversation.interrupt();
  }

  private silence(): void {
    this.face.stage.stop();
    this.voice.interrupt();
  }

  /** Announces a text to screen readers. */
  private announce({ text, name, language_code }: Entry): void {
    this.spoken.lang = language_code ?? this.options.choice.language_code;
    this.spoken.textContent = `${name}: ${plainText(text)}`;
  }

  private show(): void {
    const isActive = this.isBusy || this.face.speaking;
    this.composer.busy = isActive;
    this.face.show(this.isBusy);
    if (!isActive) for (const resolve of this.waiting.splice(0)) resolve();
  }
}
