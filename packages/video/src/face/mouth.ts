/** The mouth shapes that every portrait draws, each in the layer `mouth-NAME`. */
export const BASIC_MOUTHS = ['rest', 'closed', 'open-small', 'open-wide', 'round', 'teeth'] as const;
/** Optional mouth shapes, and the fallback for portraits without them. */
const INSTEAD = { spread: 'open-small', pursed: 'round', lip: 'teeth', tongue: 'open-small' } as const;
export const MOUTHS = [...BASIC_MOUTHS, ...(Object.keys(INSTEAD) as (keyof typeof INSTEAD)[])] as const;
export type Mouth = (typeof MOUTHS)[number];

/** A shape or its fallback. @param has whether a portrait draws it */
export function drawnMouth(mouth: Mouth, has: (mouth: Mouth) => boolean): Mouth {
  return mouth in INSTEAD && !has(mouth) ? INSTEAD[mouth as keyof typeof INSTEAD] : mouth;
}

/** When a sound of a speech begins and ends, in seconds from the start of the recording. */
export interface SpokenPhoneme {
  /** IPA. */
  readonly phoneme: string;
  readonly start: number;
  readonly end: number;
}

/** A shape and its opacity; together with that of the previous shape, 1. */
export interface SeenMouth {
  readonly mouth: Mouth;
  readonly opacity: number;
}

/** The mouth shape at the start of a sound, in IPA. The default is a slightly open mouth. */
const SHAPES: readonly [RegExp, Mouth][] = [
  [/^[mpbɱβ]/, 'closed'],
  [/^[fv]/, 'lip'],
  [/^[lɫɭʎnɲθð]/, 'tongue'],
  [/^[szʃʒtdɕʑʂʐçɾ]/, 'teeth'],
  [/^[uwʊyʏɥ]/, 'pursed'],
  [/^[oɔøœɨɯɹʁrq]/, 'round'],
  [/^[iɪej]/, 'spread'],
  [/^[aɑæʌɛɐɜʕ]/, 'open-wide'],
];
/** Sounds closer together than this, in seconds, have no pause in between. */
const PAUSE = 0.09;
/** Length of a fade between two shapes, in seconds. Half of it lies before the sound. */
const FADE = 0.06;

export function mouthFor(phoneme: string): Mouth {
  return SHAPES.find(([pattern]) => pattern.test(phoneme))?.[1] ?? 'open-small';
}

interface Change {
  readonly at: number;
  readonly mouth: Mouth;
}

export class MouthTimes {
  private readonly changes: Change[] = [{ at: -Infinity, mouth: 'rest' }];

  /** @param phonemes in order. @param has whether the portrait draws a shape */
  constructor(phonemes: readonly SpokenPhoneme[], has: (mouth: Mouth) => boolean = () => true) {
    phonemes.forEach(({ phoneme, start, end }, index) => {
      this.change(start, drawnMouth(mouthFor(phoneme), has));
      const next = phonemes[index + 1];
      if (!next || next.start > end + PAUSE) this.change(end, 'rest');
    });
  }

  /** The shape at a time in seconds. */
  at(seconds: number): Mouth {
    return this.changes[this.indexAt(seconds)]!.mouth;
  }

  /** The shapes at a time in seconds, during a fade: bottom layer first. */
  seenAt(seconds: number): readonly SeenMouth[] {
    const index = this.indexAt(seconds + FADE / 2);
    const { at, mouth } = this.changes[index]!;
    const before = this.changes[index - 1];
    const opacity = Math.min(1, (seconds + FADE / 2 - at) / FADE);
    if (!before || opacity === 1) return [{ mouth, opacity: 1 }];
    return [
      { mouth: before.mouth, opacity: 1 - opacity },
      { mouth, opacity },
    ];
  }

  private change(at: number, mouth: Mouth): void {
    const last = this.changes.at(-1)!;
    if (last.mouth === mouth) return;
    this.changes.push({ at: Math.max(at, last.at), mouth });
  }

  /** Binary search for the last change up to a time. */
  private indexAt(seconds: number): number {
    let low = 0;
    let high = this.changes.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.changes[middle]!.at <= seconds) low = middle;
      else high = middle;
    }
    return low;
  }
}
