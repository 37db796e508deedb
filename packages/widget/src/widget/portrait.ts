import { drawing } from './picture.js';

/** The layers of a portrait for the shapes of a mouth. */
const MOUTHS = ['rest', 'closed', 'open-small', 'open-wide', 'round', 'teeth'] as const;
export type Mouth = (typeof MOUTHS)[number];

/** What a mouth looks like at the beginning of a sound, in IPA. What is not here is a mouth a little open. */
const SHAPES: readonly [RegExp, Mouth][] = [
  [/^[mpbɱβ]/, 'closed'],
  [/^[fvszʃʒθðtdɕʑʂʐçɾ]/, 'teeth'],
  [/^[uoɔwʊyʏøœɨɯɹʁrq]/, 'round'],
  [/^[aɑæʌɛɐɜʕ]/, 'open-wide'],
];

export function mouthFor(phoneme: string): Mouth {
  return SHAPES.find(([pattern]) => pattern.test(phoneme))?.[1] ?? 'open-small';
}

const BLINK_EVERY = 3.4;
const BLINK_SECONDS = 0.16;

/** A layered portrait that moves: mouth, blinking eyes, a head that sways. */
export class Portrait {
  private readonly layers: Map<string, Element>;
  private shown: Mouth = 'rest';

  private constructor(readonly svg: SVGSVGElement) {
    this.layers = new Map([...svg.querySelectorAll('[id]')].map((layer) => [layer.id, layer]));
  }

  /** The `portrait.svg` beside an idle video; undefined where there is none, or not one with these layers. */
  static async beside(idleVideo: string): Promise<Portrait | undefined> {
    const svg = await drawing(new URL('portrait.svg', idleVideo).href).catch(() => undefined);
    const portrait = svg && new Portrait(svg);
    return portrait && MOUTHS.every((mouth) => portrait.layers.has(`mouth-${mouth}`)) ? portrait : undefined;
  }

  set mouth(mouth: Mouth) {
    if (mouth === this.shown) return;
    this.show(`mouth-${this.shown}`, false);
    this.show(`mouth-${mouth}`, true);
    this.shown = mouth;
  }

  /** Where everything but the mouth is, at a time in seconds. */
  pose(seconds: number): void {
    const wave = (period: number, phase = 0) => Math.sin((2 * Math.PI * seconds) / period + phase);
    const sway = wave(4.2);
    const head = `translate(${2.5 * sway} ${-1.5 * (1 + wave(2.9))}) rotate(${1.4 * sway} 256 345)`;
    this.move('head', head);
    this.move('hair-back', head);
    this.move('features', `translate(${2.4 * sway} ${0.8 * wave(2.1)})`);
    this.move('body', `translate(0 ${-1.5 * (1 + wave(4))})`);
    const blinking = seconds % BLINK_EVERY < BLINK_SECONDS;
    this.show('eyes-closed', blinking);
    this.show('eyes-open', !blinking);
  }

  private move(layer: string, transform: string): void {
    this.layers.get(layer)?.setAttribute('transform', transform);
  }

  private show(layer: string, shown: boolean): void {
    if (shown) this.layers.get(layer)?.removeAttribute('display');
    else this.layers.get(layer)?.setAttribute('display', 'none');
  }
}
