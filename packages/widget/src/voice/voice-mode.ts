import { choices, h } from '../core/dom.js';
import type { Strings } from '../strings/index.js';

export interface VoiceSettings {
  /** Whether voice activity detection finds the end of speech. */
  vadEnabled: boolean;
  /** Whether the user may choose the mode. */
  voiceModeSelector: boolean;
  /** The current choice: hands-free, or push to talk. */
  handsFree: boolean;
  stopSpeakingTimeoutSeconds: number;
  language_code: string;
  video: boolean;
}

/** Lets the user choose between hands-free and push to talk, if the project allows both. */
export function modeSelector(
  strings: Strings,
  settings: VoiceSettings,
  choose: (handsFree: boolean) => void,
): HTMLElement | false {
  return (
    settings.vadEnabled &&
    settings.voiceModeSelector &&
    choices(
      strings.mode,
      [
        { value: 'hands-free', content: [h('span', {}, strings.handsFree)] },
        { value: 'push', content: [h('span', {}, strings.push)] },
      ],
      settings.handsFree ? 'hands-free' : 'push',
      (mode) => {
        settings.handsFree = mode === 'hands-free';
        choose(settings.handsFree);
      },
      'segments small',
    )
  );
}
