import { h, icon } from '../core/dom.js';
import { LONGEST_SECONDS, Microphone } from './microphone.js';
import { MicrophoneError } from './open-microphone.js';
import { canRecognise, Recognition } from './recognition.js';
import { RecogniseOption } from './recognise-option.js';
import type { Strings } from '../strings/index.js';
import { VoiceActivity } from './voice-activity.js';
import { modeSelector, type VoiceSettings } from './voice-mode.js';

export interface VoiceListener {
  /** The user speaks: the avatar should stop. */
  speech(): void;
  recorded(file: Blob, words: string | undefined): void;
  failed(error: unknown): void;
  /** Whether the microphone may pick up the avatar. */
  avatarSpeaks(): boolean;
}

const TICK_MS = 50;
/** How long a recording without speech runs before it starts over, in milliseconds: leading silence is uploaded and played too. */
const RESTART_RECORDING_MS = 4_000;
const MIN_SILENCE_MS = 300;
/** How much louder than usual speech must be while the avatar speaks. */
const LEVEL_FACTOR_OVER_AVATAR = 2;

/** Recorded voice input: hands-free, with voice activity detection, or with one press to start and one to send. */
export class Voice {
  readonly element: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly status: HTMLElement;
  private readonly hint: HTMLElement;
  private readonly option?: RecogniseOption;
  private readonly preview = h('video', { class: 'preview', muted: true, playsInline: true, hidden: true });
  private handsFree: boolean;
  private microphone?: Microphone;
  private opening = false;
  /** Whether a recording is being completed, after which the microphone is closed. */
  private sending = false;
  private recognition?: Recognition;
  private activity: VoiceActivity;
  private timer?: ReturnType<typeof setInterval>;
  private recordingSince = 0;
  /** Incremented on close, so that work started before does not continue. */
  private closings = 0;

  constructor(
    private readonly strings: Strings,
    private readonly settings: VoiceSettings,
    private readonly listener: VoiceListener,
  ) {
    this.handsFree = settings.handsFree;
    this.activity = this.newActivity();
    this.button = h('button', { type: 'button', class: 'microphone', onclick: () => void this.press() });
    this.hint = h('p', { class: 'voice-hint', role: 'status', hidden: true });
    this.status = h('p', { class: 'voice-status', role: 'status' });
    const selector = modeSelector(strings, settings, (handsFree) => {
      this.close();
      this.handsFree = handsFree;
      this.show();
    });
    this.option = canRecognise ? new RecogniseOption(strings, settings.language_code) : undefined;
    this.element = h(
      'div',
      { class: 'voice' },
      this.preview,
      h('div', { class: 'voice-row' }, this.button, this.status, selector),
      this.option?.element,
      this.hint,
    );
    this.show();
  }

  /** Shows beside the microphone that nothing was understood, until something is. */
  set understands(understands: boolean) {
    this.hint.textContent = this.strings.notUnderstood;
    this.hint.hidden = understands;
  }

  /** Shows another note there. */
  set note(text: string) {
    this.hint.textContent = text;
    this.hint.hidden = false;
  }

  /** Stops recording. Drops what has not been sent. */
  close(): void {
    this.closings++;
    this.sending = false;
    clearInterval(this.timer);
    this.recognition?.drop();
    this.recognition = undefined;
    this.microphone?.close();
    this.microphone = undefined;
    this.preview.srcObject = null;
    this.show();
  }

  /** Starts to listen, or sends if the user ends the recording. */
  async press(): Promise<void> {
    if (this.opening || this.sending) return;
    if (!this.microphone) return this.open();
    if (!this.handsFree) return this.finish();
    this.close();
  }

  private async open(): Promise<void> {
    const { closings } = this;
    this.opening = true;
    try {
      this.microphone = await Microphone.open(this.settings.video);
    } catch (error) {
      this.listener.failed(error);
      return;
    } finally {
      this.opening = false;
    }
    if (closings !== this.closings || !this.element.isConnected) return this.close();
    const { stream } = this.microphone;
    this.preview.srcObject = stream.getVideoTracks().length > 0 ? stream : null;
    void this.preview.play().catch(() => undefined);
    if (!this.handsFree) this.listener.speech();
    this.activity = this.newActivity();
    try {
      this.startRecording();
    } catch (error) {
      this.close();
      this.listener.failed(error);
      return;
    }
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.show();
  }

  private startRecording(): void {
    this.recordingSince = performance.now();
    this.microphone?.record();
    this.recognition?.drop();
    this.recognition = this.option?.chosen
      ? new Recognition(this.settings.language_code, this.option.isLocal)
      : undefined;
  }

  private tick(): void {
    const { microphone } = this;
    if (!microphone) return;
    if (!microphone.live) return void this.lose();
    const { level } = microphone;
    this.button.style.setProperty('--level', String(Math.min(1, level * 6)));
    const now = performance.now();
    const seconds = (now - this.recordingSince) / 1000;
    if (this.handsFree) {
      const event = this.activity.hear(
        level,
        now,
        this.listener.avatarSpeaks() ? LEVEL_FACTOR_OVER_AVATAR : 1,
        microphone.pitch,
      );
      if (event === 'began') this.listener.speech();
      if (event) this.show();
      if (event === 'ended' || (this.activity.speaking && seconds > LONGEST_SECONDS)) {
        void this.deliver().then(() => this.microphone && this.startRecording());
      } else if (this.activity.silent && seconds * 1000 > RESTART_RECORDING_MS) {
        this.startRecording();
      }
    } else if (seconds > LONGEST_SECONDS) {
      void this.press();
    }
  }

  /** The device was disconnected. Sends what was said until then. */
  private async lose(): Promise<void> {
    if (!this.handsFree || this.activity.speaking) await this.finish();
    else this.close();
    this.listener.failed(new MicrophoneError('lost'));
  }

  /** Sends the recording, and closes the microphone. */
  private async finish(): Promise<void> {
    const { closings } = this;
    clearInterval(this.timer);
    this.sending = true;
    this.show();
    await this.deliver();
    if (closings === this.closings) this.close();
  }

  private async deliver(): Promise<void> {
    const { closings, recognition } = this;
    this.recognition = undefined;
    this.recordingSince = performance.now();
    const [file, words] = await Promise.all([this.microphone?.finish(), recognition?.finish()]);
    if (closings !== this.closings) return;
    if (recognition && !words) this.option!.fail(recognition.problem);
    else this.option?.fail();
    if (file) this.listener.recorded(file, words);
  }

  private newActivity(): VoiceActivity {
    return new VoiceActivity(Math.max(MIN_SILENCE_MS, this.settings.stopSpeakingTimeoutSeconds * 1000));
  }

  private show(): void {
    const { strings, handsFree } = this;
    const on = this.microphone !== undefined;
    const label = on ? (handsFree ? strings.mute : strings.recorded) : handsFree ? strings.listen : strings.record;
    this.button.setAttribute('aria-label', label);
    this.button.setAttribute('aria-disabled', String(this.sending));
    this.button.replaceChildren(icon(on ? (handsFree ? 'close' : 'send') : 'microphone'));
    this.button.classList.toggle('on', on);
    this.button.classList.toggle('hearing', on && (!handsFree || this.activity.speaking));
    this.status.textContent = !on
      ? label
      : this.sending
        ? strings.waiting
        : !handsFree
          ? strings.recordingNow
          : this.activity.speaking
            ? strings.hearing
            : strings.listening;
    this.preview.hidden = !this.preview.srcObject;
  }
}
