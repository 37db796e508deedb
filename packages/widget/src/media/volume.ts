import { h, icon } from '../core/dom.js';
import { storeValue, storedValue } from '../core/storage.js';
import type { Strings } from '../strings/index.js';

/** The avatars' volume, 0 to 1; remembered for the next visit. */
class Volume {
  private readonly listeners = new Set<(level: number) => void>();
  private loud = loudOf(storedValue('volume'));
  private silent = storedValue('muted') === 'true';

  get level(): number {
    return this.silent ? 0 : this.loud;
  }
  set level(level: number) {
    this.loud = level;
    this.silent = level === 0;
    this.changed();
  }

  get muted(): boolean {
    return this.level === 0;
  }
  set muted(muted: boolean) {
    this.silent = muted;
    if (!muted) this.loud ||= 1;
    this.changed();
  }

  /** @returns a function that removes the listener */
  watch(listener: (level: number) => void): () => void {
    this.listeners.add(listener);
    listener(this.level);
    return () => void this.listeners.delete(listener);
  }

  private changed(): void {
    storeValue('volume', String(this.loud));
    storeValue('muted', String(this.silent));
    for (const listener of this.listeners) listener(this.level);
  }
}

export const volume = new Volume();

/** The volume control. */
export function volumeView(strings: Strings): { element: HTMLElement; leave(): void } {
  const button = h('button', { type: 'button', class: 'act', onclick: () => (volume.muted = !volume.muted) });
  const slider = h('input', {
    type: 'range',
    min: '0',
    max: '1',
    step: '0.05',
    'aria-label': strings.volume,
    oninput: () => (volume.level = Number(slider.value)),
  });
  const element = h('div', { class: 'volume' }, button, slider);
  const leave = volume.watch((level) => {
    slider.value = String(level);
    const label = level === 0 ? strings.soundOn : strings.soundOff;
    button.setAttribute('aria-label', label);
    button.title = label;
    button.replaceChildren(icon(level === 0 ? 'silent' : 'loud'));
  });
  return { element, leave };
}

function loudOf(text: string | null): number {
  const level = text === null ? 1 : Number(text);
  return level > 0 && level <= 1 ? level : 1;
}
