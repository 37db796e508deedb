/** What keeps a full stop from ending a sentence, in one language. Words are in lower case, without their last full stop. */
interface Abbreviations {
  /** Those that never end a sentence. */
  readonly never: readonly string[];
  /** Those that end one only before a word that often begins one. */
  readonly rarely: readonly string[];
  /** Those that stand before a number: months, "No. 5". */
  readonly beforeNumbers: readonly string[];
  /** Words that often begin a sentence: a full stop before them ends one, as in "in the U.S. They …". */
  readonly starters: readonly string[];
  /** Whether a number with a full stop is an ordinal: "am 3. Oktober". */
  readonly hasOrdinals?: boolean;
}

const list = (words: string) => words.split(' ');

/** Of Latin titles, which stand in texts of every language. */
const ANYWHERE = list('dr prof mr mrs ms st sr vs cf');

const LANGUAGES: Readonly<Record<string, Abbreviations>> = {
  en: {
    never: list('e.g i.e viz messrs mmes'),
    rarely: list('gen sen gov capt cpt lt cmdr sgt rev hon approx dept jr mt ph.d'),
    beforeNumbers: list('jan feb mar apr jun jul aug sep sept oct nov dec no nos vol fig figs p pp ch sec art ca c'),
    starters: list(
      'he she it they we you i the a an this that these those there then in on at but and so or if when what who how why ' +
        'my his her its our their yes no not now after before as for with from is are do does did can will some many most all',
    ),
  },
  de: {
    never: list('z.b d.h u.a i.d.r z.t u.u s.o s.u v.a hr hrn frl dipl bzw vgl bspw insb sog'),
    rarely: list(
      'ing phil jur o.ä ca evtl ggf inkl exkl zzgl max min str geb gest verh abk abt allg engl frz lat eigtl hl fr',
    ),
    beforeNumbers: list('jan feb mär mrz apr jun jul aug sep sept okt nov dez nr abs art bd s tel kap abb tab mio mrd'),
    starters: list(
      'er sie es ich wir ihr du das die der den dem ein eine dann da so und aber oder doch denn wenn wer wie was wo warum ' +
        'ja nein nun jetzt dort hier heute danach damit dabei dieser diese dieses mein dein sein unser alle viele man nicht nur auch in im am an auf mit von zu bei nach vor für',
    ),
    hasOrdinals: true,
  },
  es: {
    never: list('sra srta sres sras dra dres dña ud uds vd vds p.ej p.e excmo excma ilmo ilma'),
    rarely: list('d ee ee.uu aprox avda av gral cnel cap fdo profa lic ing arq mons pbro hno hna sto sta'),
    beforeNumbers: list(
      'ene feb mar abr may jun jul ago sep sept set oct nov dic núm nº n.º pág págs p pp art arts vol tel fig',
    ),
    starters: list(
      'él ella ellos ellas yo tú nosotros el la los las un una unos unas esto eso este esta ese esa y pero o si cuando ' +
        'que qué quién cómo dónde por para en con de a al no sí luego después entonces allí aquí hoy ahora también se su mi',
    ),
  },
  fr: {
    never: list('m mm mgr p.ex'),
    rarely: list('me env av apr j.-c éd ex hab max min bd boul dir ing'),
    beforeNumbers: list('janv févr avr juil sept oct nov déc no nos n vol chap p pp art fig tél'),
    starters: list(
      'il elle ils elles on je tu nous vous le la les un une des ce cet cette ces et mais ou si quand que qui quoi comment ' +
        'pourquoi où en dans pour par avec sans de du à au aux non oui puis alors ensuite ici là mon ton son sa ses leur',
    ),
  },
  pt: {
    never: list('sra srta srs sras dra drs exmo exma v.ex p.ex'),
    rarely: list('d dom profa av avda eng arq gen cel cap aprox máx mín pe ex'),
    beforeNumbers: list(
      'jan fev mar abr mai jun jul ago set out nov dez núm nº n.º pág págs p pp art arts vol tel fig',
    ),
    starters: list(
      'ele ela eles elas eu tu você nós o a os as um uma uns umas isto isso este esta esse essa e mas ou se quando que quem ' +
        'como onde por para em no na nos nas com de do da ao à não sim depois então ali aqui hoje agora também seu sua meu',
    ),
  },
  ar: {
    never: list('د أ.د ا.د ق.م'),
    rarely: list('أ م ا هـ'),
    beforeNumbers: list('ص ج رقم'),
    starters: list('هو هي هم أنا نحن أنت هذا هذه ذلك تلك ثم لكن و في من إلى على إن كان لا نعم'),
  },
  hi: {
    never: list(
      'डॉ डा प्रो श्री श्रीमती सुश्री पं स्व कर्नल ए बी सी डी एफ जी एच आई जे एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू वाई ज़ेड',
    ),
    rarely: list('कु ले'),
    beforeNumbers: list('रु सं नं पृ ई सन् क्र'),
    starters: list('यह वह ये वे मैं हम आप तुम और लेकिन पर तो फिर अब आज यहाँ वहाँ क्या कौन क्यों कैसे नहीं हाँ इस उस'),
  },
  zh: { never: [], rarely: [], beforeNumbers: list('no vol p pp fig'), starters: [] },
};

/** Maximum length of a word that is looked up. */
const LONGEST_WORD = 20;
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}.º-]$/u;
const HAN = /^\p{sc=Han}$/u;
const NEXT_WORD = /^[\p{Ps}\p{Pi}"'’]*([\p{L}\p{M}]+)/u;
const INITIAL = /^\p{L}\p{M}*$/u;
/** Several letters, each with a full stop: "U.S.", "a.m.". */
const ACRONYM = /^(?:(?:\p{L}\p{M}*){1,2}\.)+-?(?:\p{L}\p{M}*){1,2}$/u;
/** Initials apart: "z. B.", "J. R. R.". */
const INITIALS = /(?:^|[^\p{L}])\p{L}\.[ \u00a0\u202f]\p{L}\.[ \u00a0\u202f]*$/u;
const LIST_NUMBER = /^\s*\d{1,3}\.[ \t]*$/;
const ORDINAL = /^\d{1,3}$/;

/**
 * Whether a sentence goes on after a full stop.
 *
 * @param before everything up to the full stop and the following spaces
 * @param after what follows; it may be incomplete
 * @param isOver whether nothing more will follow
 * @returns undefined if that depends on what follows
 */
export function goesOn(before: string, after: string, language: string, isOver: boolean): boolean | undefined {
  const word = lastWord(before);
  if (word === '') return false;
  const { never, rarely, beforeNumbers, starters, hasOrdinals } = LANGUAGES[language] ?? LANGUAGES.en!;
  const isNumber = /^[\p{Ps}\p{Pi}"'’]*\p{N}/u.test(after);
  if (never.includes(word) || ANYWHERE.includes(word) || LIST_NUMBER.test(before) || INITIALS.test(before)) return true;
  if (beforeNumbers.includes(word) && isNumber) return true;
  const isOrdinal = hasOrdinals && ORDINAL.test(word);
  if (!(rarely.includes(word) || INITIAL.test(word) || ACRONYM.test(word) || isOrdinal)) return false;
  const next = NEXT_WORD.exec(after);
  if (!next) return isNumber ? !isOrdinal : isOver ? false : undefined;
  // More letters may follow.
  if (!isOver && next[0].length === after.length) return undefined;
  return !starters.includes(next[1]!.toLowerCase());
}

/** The word before a full stop and spaces at the end of a text, without the full stop; empty if there is none. */
function lastWord(text: string): string {
  const end = text.slice(-2 * LONGEST_WORD);
  const ending = end.trimEnd();
  if (!ending.endsWith('.') || end.includes('\n', ending.length)) return '';
  const characters = Array.from(ending.slice(0, -1));
  const start = characters.findLastIndex((one) => !WORD_CHARACTER.test(one) || HAN.test(one)) + 1;
  return characters.slice(start).join('').toLowerCase();
}
