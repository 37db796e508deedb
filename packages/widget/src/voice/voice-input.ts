import { AvatarChatError } from 'avatar-chat-client';
import { loadPart } from '../core/parts.js';
import type { Entry, TurnState } from '../history/conversation.js';
import { h, releaseFocus } from '../core/dom.js';
import { LiveTurns } from '../live/live-turns.js';
import type { LiveVoice } from '../live/live-voice.js';
import type { Sound } from '../media/stage.js';
import type { TalkOptions } from '../views/talk-options.js';
import type { Voice } from './voice.js';
import type { VoiceSettings } from './voice-mode.js';
import { transcriptForm } from './transcript-form.js';

export interface VoiceInputListener {
  /** An entry of the live conversation was added or has changed. */
  changed(entry: Entry): void;
  removed(entry: Entry): void;
  /** The complete live answer. */
  answered(entry: Entry): void;
  turned(state: TurnState): void;
  sounds(sound?: Sound): void;
  /** The user speaks: the avatar should stop. */
  speech(): void;
  send(words: string | undefined, file?: Blob): void;
  failed(error: unknown): void;
  /** Whether the microphone may pick up the avatar. */
  avatarSpeaks(): boolean;
  /** The question about a recording is closed: the user may write. */
  write(): void;
}

type LivePart = { LiveVoice: typeof LiveVoice };
type VoicePart = { Voice: typeof Voice };

/** Whether this browser supports live conversations. */
const canTalkLive = typeof AudioWorkletNode === 'function' && typeof WebSocket === 'function';

/** Voice input: live if the avatar supports it and a session is available, otherwise by recordings. */
export class VoiceInput {
  /** Where the user is asked for the words of a recording. */
  readonly extra = h('div', { class: 'extra' });
  /** Its controls, once they have loaded. Empty in text conversations. */
  readonly element = h('div', { class: 'voice-box' });
  private voice?: Voice;
  private live?: LiveVoice;
  private readonly settings: VoiceSettings;
  private asked = false;
  /** Incremented on close, so that a microphone whose script still loads does not open afterwards. */
  private closings = 0;
  /** Whether the last recording was sent without a transcript. */
  private wordless = false;
  /** Whether a recording without a browser transcript has been understood. */
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
    const opening = avatar.hasLiveMode && canTalkLive ? this.talkLive() : this.record();
    opening.catch(() => listener.failed(new AvatarChatError('network_error', 'A script cannot be loaded.')));
  }

  /** Whether a live answer is pending or in progress. */
  get busy(): boolean {
    return this.live?.busy ?? false;
  }

  get isLive(): boolean {
    return this.live?.isOpen ?? false;
  }

  /** Sends a text in an open live session. @returns when its answer has ended; undefined if there is no session */
  sendText(words: string): Promise<void> | undefined {
    return this.live?.sendText(words);
  }

  /** Stops the avatar in a live session. */
  interrupt(): void {
    this.live?.interrupt();
  }

  close(): void {
    this.closings++;
    this.voice?.close();
    this.live?.close();
  }

  /** A message is being sent, perhaps a recording without a transcript. */
  sending(words: string | undefined, file: Blob | undefined): void {
    this.wordless = file !== undefined && words === undefined;
    this.clear();
  }

  /** A message of the user was accepted. */
  noteAccepted({ text }: Entry): void {
    if (this.wordless && text && this.voice) this.understood = this.voice.understands = true;
  }

  /**
   * The first time, asks for the words; later, the hint beside the microphone explains what to do. If recordings were
   * understood before, this one was noise or mumbling: the microphone stays as it is.
   */
  askForWords(file: Blob): void {
    if (this.voice) this.voice.understands = false;
    if (this.understood) return;
    this.voice?.close();
    if (this.asked) return this.listener.write();
    this.asked = true;
    const form = transcriptForm(
      this.options.strings,
      (words) => this.listener.send(words, file),
      () => this.clear(),
    );
    this.extra.replaceChildren(form);
  }

  private clear(): void {
    releaseFocus(this.extra);
    this.extra.replaceChildren();
  }

  private async talkLive(): Promise<void> {
    const { LiveVoice } = await loadPart<LivePart>('live', this.options.load);
    const { settings, listener } = this;
    const { client, worklet, choice, connection, store, strings } = this.options;
    const { language_code, video } = settings;
    const { _id: avatar_id, name } = choice.avatar;
    const options = {
      avatar_id,
      language_code,
      // A conversation by text may renew it.
      get session() {
        return connection.session;
      },
      chat_type: video ? 'video' : 'voice',
    } as const;
    const turns = new LiveTurns((state) => listener.turned(state));
    const live = (this.live = new LiveVoice(client, worklet, strings, settings, options, name, {
      changed: (entry) => {
        listener.changed(entry);
        turns.changed(entry);
        if (!entry.mine && entry.id !== undefined && entry.state === 'interrupted') store.setCut(entry.id, true);
      },
      removed: (entry) => {
        listener.removed(entry);
        turns.removed(entry);
      },
      answered: (entry) => listener.answered(entry),
      sounds: (sound) => listener.sounds(sound),
      speech: () => listener.speech(),
      retry: (text) => listener.send(text),
      failed: (error) => listener.failed(error),
      unavailable: (note) => {
        this.live = undefined;
        const { closings } = this;
        void this.record().then((voice) => {
          if (note !== undefined) voice.note = note;
          if (closings === this.closings) return voice.press();
        }, listener.failed);
      },
    }));
    this.show(live.element);
  }

  private async record(): Promise<Voice> {
    const { listener } = this;
    const { Voice } = await loadPart<VoicePart>('voice', this.options.load);
    const voice = (this.voice = new Voice(this.options.strings, this.settings, {
      speech: () => listener.speech(),
      recorded: (file, words) => listener.send(words, file),
      failed: (error) => listener.failed(error),
      avatarSpeaks: () => listener.avatarSpeaks(),
    }));
    this.show(voice.element);
    return voice;
  }

  private show(controls: HTMLElement): void {
    const [before] = this.element.children;
    this.element.append(controls);
    if (!before) return;
    releaseFocus(before, controls.querySelector('button'));
    before.remove();
  }
}
