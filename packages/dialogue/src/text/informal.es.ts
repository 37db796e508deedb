import { fold } from './words.js';

const VERBS: Readonly<Record<string, string>> = {
  puede: 'puedes',
  podria: 'podrías',
  sabe: 'sabes',
  sabria: 'sabrías',
  tiene: 'tienes',
  conoce: 'conoces',
  cree: 'crees',
  piensa: 'piensas',
  opina: 'opinas',
  dice: 'dices',
  cuenta: 'cuentas',
  recomienda: 'recomiendas',
  aconseja: 'aconsejas',
  ayuda: 'ayudas',
  explica: 'explicas',
  es: 'eres',
  esta: 'estás',
  hace: 'haces',
  vive: 'vives',
  quiere: 'quieres',
  prefiere: 'prefieres',
  toca: 'tocas',
  canta: 'cantas',
  cocina: 'cocinas',
  come: 'comes',
  entiende: 'entiendes',
  recuerda: 'recuerdas',
  duerme: 'duermes',
  llama: 'llamas',
};
const list = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** What someone does for the user: `¿me puede …?`. */
const FOR_ME = list('puede podria recomienda aconseja explica ayuda cuenta');
const ME = list('me nos');
/** What stands behind `¿sabe …?` where someone is asked. */
const KNOWN = list('hacer algo algun alguna como que quien cual cuando donde si mucho poesias chistes');
const ASKED = list('sabe conoce');
const ABLE = list('puede podria sabe sabria');
const TO_ME = /[aei]r(?:me|nos)$/u;
const BEFORE = list('y se oiga oye bueno pero');
const ENDS = /[.,!?…]$/u;
const MARKS = /[¿¡().,!?…:;"«»]/gu;
const LETTERS = /\p{L}+/u;

/** A Spanish text that says `usted` to someone, as it would say `tú`: the examples all say `tú`. */
export function informalSpanish(text: string): string {
  if (!text.includes('?') && !/usted/iu.test(text)) return text;
  const spoken = text.split(' ');
  const words = spoken.map((word) => fold(word.replace(MARKS, '')));
  return spoken
    .map((word, at) => {
      const one = words[at]!;
      const [before, next] = [words[at - 1] ?? '', words[at + 1] ?? ''];
      if (one === 'usted') return word.replace(LETTERS, 'tú');
      const begins = at === 0 || ENDS.test(spoken[at - 1]!) || BEFORE.has(before);
      const isSaid =
        next === 'usted' ||
        before === 'usted' ||
        (FOR_ME.has(one) && ME.has(before) && words[at - 2] !== 'se') ||
        (ABLE.has(one) && TO_ME.test(next)) ||
        (ASKED.has(one) && begins && KNOWN.has(next));
      const verb = isSaid ? VERBS[one] : undefined;
      return verb === undefined ? word : word.replace(LETTERS, verb);
    })
    .join(' ');
}
