import type { SecondPerson, Spoken } from '../text/second-person.js';

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Behind these a word is a noun, though it is spelled like a verb: `mi trabajo`. */
const BEFORE_NOUNS = list(
  'el la un una mi mis tu su al del de este ese aquel otro mucho poco más buen nuevo sin con por para en primer último cada cualquier ningún algún mejor',
);
const VERBS_AND_NOUNS = list(
  'trabajo estudio juego sueño baño camino gasto cambio paso cuento encuentro regalo dibujo corto vivo abrazo beso ' +
    'descanso desayuno almuerzo recuerdo cultivo intento trato uso visto caso acuerdo peso odio canto pago arreglo divorcio vino',
);
const SURELY_BEFORE_VERBS = list('yo no nunca');
/** Words in `-é` and `-í` that are no verbs. */
const NO_PRETERITES = list(
  'qué porqué sé esté dé café té bebé josé chalé paté puré comité olé andré rené mamé aquí así ahí allí sí mí casi maniquí jabalí noé bisté consomé carné comí',
);
/** Their `r` is of the stem: no futures. */
const PRETERITES_IN_RE = list(
  'preparé comparé reparé separé paré miré tiré retiré giré esperé operé superé generé recuperé enteré alteré respiré admiré disparé declaré aclaré entré compré logré lloré mejoré demoré enamoré retiré cobré abrí encontré mostré demostré cerré ahorré borré agarré',
);
/** Words in `-o` that are no verbs, where one is likely. */
const NO_VERBS = list(
  'poco mucho otro algo todo solo sólo cuando como pero mismo nuevo bueno primero segundo claro cierto quinto último hijo hermano tío abuelo',
);
const BEFORE_VERBS = list('no ya yo me también siempre nunca apenas casi');
const OF_SEVERAL = /(?:[aeiáéí]mos|^nos|^nuestr[oa]s?|^nosotr[oa]s)$/u;
/** `quedarme`, `sintiéndome`. */
const REFLEXIVE = /(?:[aei]r|ndo)me$/u;
const IMPERFECT = /(?:aba|[^d]ía|^era|^iba|^había|^podía)$/u;
const NO_IMPERFECTS = list('todavía tía policía alegría compañía energía librería panadería carnicería día vía guía');
const SUBJECTS = list('él ella ello quien alguien nadie que esto eso todo');
/** A verb of another person may follow `me`; of those in a bare `-e` one may be a preterite without its accent. */
const OF_OTHERS_IN_E = list('duele parece hace dice pone debe apetece pasa viene quiere tiene sirve conviene ofrece');

/** A statement of `yo` to `tú`; undefined where it cannot be told who is meant. */
export function spanishVerb(
  spoken: readonly Spoken[],
  { verbs }: SecondPerson,
): ReadonlyMap<number, string> | undefined {
  const turned = new Map<number, string>();
  for (const [index, word] of spoken.entries()) {
    const { text } = word;
    const before = spoken[index - 1]?.text ?? '';
    const isToAvatar = before === 'me' && /[^aeiou][ae]s$/u.test(text);
    if (OF_SEVERAL.test(text) || isToAvatar) return undefined;
    const form = isNounHere(text, before) ? undefined : (verbs.get(text) ?? ofPast(word));
    if (form !== undefined) turned.set(index, form);
    else if (REFLEXIVE.test(text)) turned.set(index, text.replace(/me$/u, 'te'));
    else if (IMPERFECT.test(text) && !NO_IMPERFECTS.has(text)) {
      if (before === 'yo') turned.set(index, `${text}s`);
      else if (!hasSubject(spoken, index)) return undefined;
    } else if (isUnknownVerb(word, before, index)) return undefined;
    else if (text === 'mi' && before === 'a' && spoken[index + 1]?.text === 'me') turned.set(index, 'ti');
  }
  return turned;
}

function isNounHere(text: string, before: string): boolean {
  if (text === 'como') return !SURELY_BEFORE_VERBS.has(before);
  return VERBS_AND_NOUNS.has(text) && BEFORE_NOUNS.has(before);
}

/** `compré` as `compraste`, `comí` as `comiste`, `iré` as `irás`. */
function ofPast({ text, isCapital }: Spoken): string | undefined {
  if (isCapital || NO_PRETERITES.has(text)) return undefined;
  if (text.endsWith('í')) return `${text.slice(0, -1)}iste`;
  if (!text.endsWith('é')) return undefined;
  if (/[aei]ré$/u.test(text) && !PRETERITES_IN_RE.has(text)) return `${text.slice(0, -1)}ás`;
  const stem = text
    .slice(0, -1)
    .replace(/gu$/u, 'g')
    .replace(/qu$/u, 'c')
    .replace(/c$/u, text.endsWith('qué') ? 'c' : 'z');
  return `${stem}aste`;
}

/** Whether someone else was named before a verb in the same clause, who may be its subject. */
function hasSubject(spoken: readonly Spoken[], verb: number): boolean {
  const { clause } = spoken[verb]!;
  const earlier = spoken.slice(0, verb).filter((word) => word.clause === clause);
  return earlier.some(
    ({ text, isCapital }, index) =>
      SUBJECTS.has(text) || (isCapital && index > 0) || (BEFORE_NOUNS.has(text) && index < 2),
  );
}

/** Whether a word may be a verb of the first person that is not known: `no escalo`, `me mude`. */
function isUnknownVerb({ text, isCapital }: Spoken, before: string, index: number): boolean {
  if (isCapital && index > 0) return false;
  if (before === 'me' && /[ei]$/u.test(text)) return !OF_OTHERS_IN_E.has(text) && !/[^aeiou]an?$/u.test(text);
  return /[^aeiou]o$/u.test(text) && !NO_VERBS.has(text) && (index === 0 || BEFORE_VERBS.has(before));
}
