import type { Heard } from 'avatar-chat-client';
import type { Mouth } from '../../../video/src/face/index.js';

/** By Azure viseme id: silence, æəʌ, ɑ, ɔ, ɛʊ, ɝ, jiɪ, wu, o, aʊ, ɔɪ, aɪ, h, ɹ, l, sz, ʃʒ, ð, fv, dtnθ, kgŋ, pbm. */
const MOUTHS = (
  'rest open-wide open-wide round open-small round spread pursed round open-wide round open-wide ' +
  'open-small round tongue teeth teeth tongue lip teeth open-small closed'
).split(' ') as Mouth[];

/** How long a mouth is open or closed if there are no visemes, in milliseconds. */
const SYLLABLE_MS = 130;

/** The mouth shapes of live answers. */
export class Mouths {
  private item_id?: string;
  private shapes: { at: number; mouth: Mouth }[] = [];

  add(item_id: string, at: number, viseme_id: number): void {
    if (this.item_id !== item_id) this.shapes = [];
    this.item_id = item_id;
    this.shapes.push({ at, mouth: MOUTHS[viseme_id] ?? 'open-small' });
  }

  /** @param heard the playback position */
  at(heard: Heard | undefined): Mouth {
    if (!heard) return 'rest';
    if (heard.item_id !== this.item_id) return Math.floor(heard.ms / SYLLABLE_MS) % 2 ? 'open-small' : 'closed';
    return this.shapes.findLast(({ at }) => at <= heard.ms)?.mouth ?? 'rest';
  }
}
