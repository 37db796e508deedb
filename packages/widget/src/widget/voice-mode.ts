import { choices, h } from './dom.js';
import type { Strings } from './strings/index.js';

export interface VoiceSettings {
  /** Whether the ends of speech are found by voice activity detection. */
  vadEnabled: boolean;
  /** Whether the user may choose how to talk. */
  voiceModeSelector: boolean;
  /** What is chosen now: hands-free, or push to talk. */
  handsFree: boolean;
  stopSpeakingTimeoutSeconds: number;
  language_code: string;
  video: boolean;
}

/** Lets the user choose between hands-free and push to talk, where the project allows both. */
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
