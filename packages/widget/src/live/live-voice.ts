import { type TurnClient, AvatarChatError, type LiveOptions, type LiveSettings } from 'avatar-chat-client';
import { h, icon } from '../core/dom.js';
import type { Entry } from '../history/conversation.js';
import { MicrophoneError } from '../voice/open-microphone.js';
import type { Sound } from '../media/stage.js';
import type { Strings } from '../strings/index.js';
import { modeSelector, type VoiceSettings } from '../voice/voice-mode.js';
import { Call } from './call.js';
import { Dialogue } from './dialogue.js';

export interface LiveVoiceListener {
  changed(entry: Entry): void;
  removed(entry: Entry): void;
  answered(entry: Entry): void;
  /** The avatar starts to speak, or stops (undefined). */
  sounds(sound?: Sound): void;
  /** The user is about to speak: stop playback. */
  speech(): void;
  /** Sends a text again that has not arrived. */
  retry(text: string): void;
  failed(error: unknown): void;
  /** Live conversation, or its speech input, is unavailable: record instead. @param note the reason */
  unavailable(note?: string): void;
}

const MIN_SILENCE_MS = 300;

/** Live conversation: a button to start and end, and one to mute; with push to talk, one press to start and one to send. */
export class LiveVoice {
  readonly element: HTMLElement;
  private readonly button = h('button', { type: 'button', class: 'microphone', onclick: () => void this.press() });
  private readonly muteButton = h('button', { type: 'button', class: 'mute', onclick: () => this.mute(!this.muted) });
  private readonly status = h('p', { class: 'voice-status', role: 'status' });
  private readonly preview = h('video', { class: 'preview', muted: true, playsInline: true, hidden: true });
  private handsFree: boolean;
  /** Aborts the session that is open or being opened. */
  private session?: AbortController;
  private call?: Call;
  private dialogue?: Dialogue;
  private listening = false;
  private muted = false;
  private hearing = false;
  private lost = false;

  constructor(
    private readonly client: TurnClient,
    private readonly worklet: string,
    private readonly strings: Strings,
    private readonly settings: VoiceSettings,
    private readonly options: LiveOptions,
    private readonly name: string,
    private readonly listener: LiveVoiceListener,
  ) {
    this.handsFree = settings.handsFree;
    const selector = modeSelector(strings, settings, (handsFree) => {
      this.close();
      this.handsFree = handsFree;
      this.show();
    });
    const row = h('div', { class: 'voice-row' }, this.button, this.muteButton, this.status, selector);
    this.element = h('div', { class: 'voice live' }, this.preview, row);
    this.show();
  }

  /** Whether a session is open. */
  get isOpen(): boolean {
    return this.session !== undefined;
  }

  /** Whether an answer is pending or in progress. */
  get busy(): boolean {
    return this.dialogue?.busy ?? false;
  }

  /** Sends a text if a session is open. @returns when its answer has ended; undefined if none is open */
  sendText(text: string): Promise<void> | undefined {
    const { call, dialogue } = this;
    if (!call || !dialogue) return undefined;
    call.interrupt();
    return dialogue.write(call.live.send(text), text, () => this.listener.retry(text));
  }

  /** Stops the avatar. */
  interrupt(): void {
    this.call?.interrupt();
  }

  /** Ends the session. */
  close(): void {
    const { session, call } = this;
    this.session = this.call = undefined;
    call?.interrupt();
    session?.abort();
    this.listening = this.muted = this.hearing = this.lost = false;
    this.preview.srcObject = null;
    this.show();
  }

  private async press(): Promise<void> {
    const { session, call, listening } = this;
    if (!session) return this.open();
    if (this.handsFree || !call) return this.close();
    if (!listening) return this.listen(call, session);
    call.closeMicrophone();
    this.listening = false;
    const { live } = call;
    if (this.lost) {
      // Audio since the loss is missing.
      live.clear();
      this.listener.failed(new AvatarChatError('network_error', ''));
    } else {
      live.commit();
      live.respond();
    }
    this.show();
  }

  private async open(): Promise<void> {
    const session = (this.session = new AbortController());
    const { signal } = session;
    this.listener.speech();
    this.show();
    try {
      const options = {
        ...this.options,
        settings: {
          audio: { input: this.input },
          animation: { outputs: ['viseme_id' as const] },
          output_audio_timestamp_types: ['word' as const],
        },
        signal,
      };
      const call = await Call.open(this.client, this.worklet, options, {
        sounds: (sound) => this.listener.sounds(sound),
        cut: ({ item_id, ms }) => this.dialogue?.cut(item_id, ms),
        level: (level) => this.button.style.setProperty('--level', String(Math.min(1, level * 6))),
        unplugged: () => {
          this.close();
          this.listener.failed(new MicrophoneError('lost'));
        },
      });
      this.dialogue = new Dialogue(call.live, this.name, this.listener);
      this.watch(call);
      const { turn_detection } = call.live.info.audio.input;
      if (turn_detection?.available?.includes('semantic_vad'))
        call.live.update({ audio: { input: { turn_detection: { type: 'semantic_vad' } } } });
      // The page explains it when a recording is not transcribed either; that one takes its words from the user.
      if (!call.live.info.audio.input.transcription) return this.giveUp();
      this.call = call;
      await this.listen(call, session);
    } catch (error) {
      if (signal.aborted) return;
      this.close();
      const isRefused = !(error instanceof MicrophoneError) && ![401, 403].includes((error as AvatarChatError).status);
      if (isRefused) this.giveUp(this.strings.liveRefused);
      else this.listener.failed(error);
    }
  }

  private async listen(call: Call, { signal }: AbortController): Promise<void> {
    try {
      if (!this.handsFree) call.interrupt();
      await call.openMicrophone(this.settings.video);
    } catch (error) {
      call.closeMicrophone();
      if (!(error instanceof MicrophoneError)) throw error;
      this.listener.failed(error);
    }
    if (signal.aborted) return call.closeMicrophone();
    this.listening = call.picture !== undefined;
    this.preview.srcObject = call.picture ?? null;
    void this.preview.play().catch(() => undefined);
    this.show();
  }

  private watch({ live }: Call): void {
    const follow = (type: string, follower: () => void) =>
      live.on(type, () => {
        follower();
        this.show();
      });
    follow('input_audio_buffer.speech_started', () => (this.hearing = true));
    follow('input_audio_buffer.speech_stopped', () => (this.hearing = false));
    follow('lost', () => (this.lost = true));
    follow('session.created', () => (this.lost = this.hearing = false));
    live.on('closed', ({ error }) => {
      if (this.call?.live !== live) return;
      this.close();
      if (error) this.listener.failed(error);
    });
  }

  private giveUp(note?: string): void {
    this.close();
    this.listener.unavailable(note);
  }

  private mute(muted: boolean): void {
    this.muted = muted;
    if (this.call) this.call.muted = muted;
    this.show();
  }

  private get input(): NonNullable<NonNullable<LiveSettings['audio']>['input']> {
    const silence_duration_ms = Math.max(MIN_SILENCE_MS, this.settings.stopSpeakingTimeoutSeconds * 1000);
    const turn_detection = this.handsFree ? { type: 'server_vad' as const, silence_duration_ms } : null;
    return { turn_detection };
  }

  private show(): void {
    const { strings, handsFree, session, call, listening, muted } = this;
    const on = session !== undefined && (handsFree || listening || !call);
    const sends = on && !handsFree && listening;
    const label = sends ? strings.recorded : on ? strings.mute : handsFree ? strings.listen : strings.record;
    this.button.setAttribute('aria-label', label);
    this.button.replaceChildren(icon(sends ? 'send' : on ? 'close' : 'microphone'));
    this.button.classList.toggle('on', on);
    this.button.classList.toggle('hearing', listening && !muted && (!handsFree || this.hearing));
    this.muteButton.hidden = !handsFree || !listening;
    this.muteButton.setAttribute('aria-label', muted ? strings.liveUnmute : strings.liveMute);
    this.muteButton.classList.toggle('on', muted);
    this.muteButton.replaceChildren(icon(muted ? 'muted' : 'microphone'));
    this.status.textContent = !on ? label : !call ? strings.connecting : this.lost ? strings.reconnecting : this.state;
    this.preview.hidden = !this.preview.srcObject;
  }

  /** Its state while the microphone is open. */
  private get state(): string {
    const { strings } = this;
    if (!this.handsFree) return strings.recordingNow;
    if (this.muted) return strings.liveMuted;
    return this.hearing ? strings.hearing : strings.listening;
  }
}
