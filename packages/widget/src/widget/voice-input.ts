import type { Entry, TurnState } from './conversation.js';
import { h } from './dom.js';
import { LiveTurns } from './live/live-turns.js';
import { canTalkLive, LiveVoice } from './live/live-voice.js';
import type { Mouth } from '../../../../src/face/index.js';
import type { TalkOptions } from './talk-options.js';
import { Voice } from './voice.js';
import type { VoiceSettings } from './voice-mode.js';
import { wordsForm } from './words.js';

export interface VoiceInputListener {
  /** Something said live is to be shown, or has changed. */
  changed(entry: Entry): void;
  removed(entry: Entry): void;
  /** The avatar's whole answer, live. */
  answered(entry: Entry): void;
  /** A live answer is over, and stored. @param signal aborted when the panel has been closed since */
  settled(signal: AbortSignal): void;
  turned(state: TurnState): void;
  sounds(mouth?: () => Mouth): void;
  /** The user speaks, so the avatar should not. */
  speech(): void;
  send(words: string | undefined, file?: Blob): void;
  failed(error: unknown): void;
  /** Whether the avatar may be heard by the microphone. */
  avatarSpeaks(): boolean;
  /** Nothing more is asked about a recording: the user may write. */
  write(): void;
}

/** What was heard of an answer is stored so soon after its end. */
const STORED_AFTER_MS = 250;

/** How one talks by voice: live, if the avatar can and while a session is to be had; otherwise by recordings. */
export class VoiceInput {
  /** Where the words of a recording are asked for. */
  readonly extra = h('div', { class: 'extra' });
  private voice?: Voice;
  private live?: LiveVoice;
  private readonly settings: VoiceSettings;
  private settling?: ReturnType<typeof setTimeout>;
  private asked = false;
  /** Whether the last recording was sent without words. */
  private wordless = false;
  /** Whether a recording without words has been understood. */
  private understood = false;

  constructor(
    private readonly options: TalkOptions,
    private readonly listener: VoiceInputListener,
  ) {
    const { connection, choice } = options;
    const { vadEnabled, voiceModeSelector, stopSpeakingTimeoutSeconds } = connection;
    const { avatar, language_code, chat_type } = choice;
    const video = chat_type === 'video';
    const handsFree = vadEnabled;
    this.settings = { vadEnabled, voiceModeSelector, handsFree, stopSpeakingTimeoutSeconds, language_code, video };
    if (chat_type === 'text') return;
    if (avatar.hasLiveMode && canTalkLive) this.live = this.talkLive();
    else this.voice = this.record();
  }

  /** What it is operated by; nothing in text conversations. */
  get element(): HTMLElement | undefined {
    return this.live?.element ?? this.voice?.element;
  }

  /** Whether a live answer is awaited or coming. */
  get busy(): boolean {
    return this.live?.busy ?? false;
  }

  /** Whether what is said appears by itself. */
  get isLive(): boolean {
    return this.live?.isOpen ?? false;
  }

  /** Says something in writing, in an open live session. @returns whether there is one */
  say(words: string): boolean {
    return this.live?.say(words) ?? false;
  }

  /** Stops the avatar, live. */
  interrupt(): void {
    this.live?.interrupt();
  }

  close(): void {
    this.voice?.close();
    this.live?.close();
  }

  /** Something is sent, perhaps a recording without words. */
  sending(words: string | undefined, file: Blob | undefined): void {
    this.wordless = file !== undefined && words === undefined;
    this.extra.replaceChildren();
  }

  /** A message of the user has been taken. */
  taken({ text }: Entry): void {
    if (this.wordless && text && this.voice) this.understood = this.voice.understands = true;
  }

  /**
   * The first time asks for the words; afterwards the hint beside the microphone says what to do. Where recordings have been
   * understood before, it was noise or a mumble: the microphone stays as it is.
   */
  askForWords(file: Blob): void {
    if (this.voice) this.voice.understands = false;
    if (this.understood) return;
    this.voice?.close();
    if (this.asked) return this.listener.write();
    this.asked = true;
    const form = wordsForm(
      this.options.strings,
      (words) => this.listener.send(words, file),
      () => this.extra.replaceChildren(),
    );
    this.extra.replaceChildren(form);
  }

  private talkLive(): LiveVoice {
    const { settings, listener } = this;
    const { client, choice, connection, store, strings } = this.options;
    const { language_code, video } = settings;
    const { _id: avatar_id, name } = choice.avatar;
    const { session } = connection;
    const options = { avatar_id, language_code, session, chat_type: video ? 'video' : 'voice' } as const;
    const turns = new LiveTurns((state) => listener.turned(state));
    const live = new LiveVoice(client, strings, settings, options, name, {
      changed: (entry) => {
        listener.changed(entry);
        turns.changed(entry);
        if (entry.mine || !['done', 'interrupted'].includes(entry.state)) return;
        if (entry.id !== undefined && entry.state === 'interrupted') store.setCut(entry.id, true);
        this.settle();
      },
      removed: (entry) => {
        listener.removed(entry);
        turns.removed(entry);
      },
      answered: (entry) => listener.answered(entry),
      sounds: (mouth) => listener.sounds(mouth),
      speech: () => listener.speech(),
      retry: (text) => listener.send(text),
      failed: (error) => listener.failed(error),
      unavailable: (note) => {
        this.live = undefined;
        this.voice = this.record();
        if (note !== undefined) this.voice.note = note;
        live.element.replaceWith(this.voice.element);
        void this.voice.press();
      },
    });
    return live;
  }

  private settle(): void {
    const signal = this.options.signal();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.listener.settled(signal), STORED_AFTER_MS);
  }

  private record(): Voice {
    const { listener } = this;
    return new Voice(this.options.strings, this.settings, {
      speech: () => listener.speech(),
      recorded: (file, words) => listener.send(words, file),
      failed: (error) => listener.failed(error),
      avatarSpeaks: () => listener.avatarSpeaks(),
    });
  }
}
