import { FIRST_NAMES } from '../text/first-names.js';
import { Sentence } from '../text/sentences.js';
import { Word, wordsOf } from '../text/words.js';
import { NUMBER_WORDS } from '../text/numbers.js';
import { TIMES } from './recollect.words.js';

const MOST_LOOKED_AT = 60;
const NAMES = /heiß|heiss|hieß|hiess|nenn|namens|called|named|name is|name was|names are|llama|nombre|puse|pusimos/iu;
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Words for what is asked: a place, a time, an age, a name. */
const PLACES = words(
  'city town country place island village street land stadt ort insel dorf strasse ciudad pais pueblo sitio lugar isla calle',
);
const TIMES_ASKED = words(
  'time hour uhr hora day date month year weekday tag datum monat jahr wochentag dia dias fecha mes ano',
);
const AGES_ASKED = words('age alter edad');
const NAMES_ASKED = words('name names called named heisst heissen hiess geheissen namen llama llaman llamaba nombre');
const WHO = words('who whom whose wer wen wem wessen quien quienes');
const COUNTS = words('wievielt wievielen');
/** Words for one that are also articles. */
const ARTICLES = words('one un uno una ein eine einen eins');
const UNITS = words(
  'second seconds minute minutes hour hours day days week weeks month months year years night nights sekunden minuten stunde stunden ' +
    'tag tage tagen woche wochen monat monate monaten jahr jahre jahren nacht nachte minutos hora horas dia dias semana semanas mes meses ano anos noche noches',
);
/** Before places; those of the second group if a name, or a word for going, stands by. */
const BEFORE_PLACES: Readonly<Record<string, readonly [ReadonlySet<string>, ReadonlySet<string>]>> = {
  en: [words('in at from near'), words('to')],
  de: [words('in aus nach bei im'), words('an auf')],
  es: [words('en desde'), words('a de cerca')],
};
const GOING = words(
  'go going went fly flying flight move moving moved travel trip drive off back come from soy eres vengo viajo voy vamos me mudo mudarme vuelo de',
);
const NO_PLACES = words(
  'the a an my our his her their this that it here there case general fact love time bed trouble charge once least all first last ' +
    'der die das dem den einem einer meinem meiner ordnung ruhe eile zeit hause sich uns mir allem ' +
    'el la los las un una mi mis familia serio broma general realidad cuanto que lo eso este esta',
);
const PEOPLE = words(
  'mother mum mom father dad sister brother son daughter wife husband partner girlfriend boyfriend friend mate colleague boss neighbour aunt uncle cousin niece nephew ' +
    'grandmother grandfather grandson granddaughter flatmate roommate teacher kids children parents vet doctor slugs ' +
    'mutter vater schwester bruder sohn tochter frau mann partner partnerin freundin freund kollege kollegin chef chefin nachbar nachbarin tante onkel enkel enkelin ' +
    'oma opa eltern kinder mitbewohner mitbewohnerin ' +
    'madre padre hermana hermano hijo hija mujer marido pareja novio novia amigo amiga jefe jefa vecino vecina tia tio prima primo nieto nieta abuela abuelo ' +
    'padres hijos companero companera cunado cunada suegra suegro nina nino',
);

export type Kind = 'where' | 'when' | 'age' | 'many' | 'duration' | 'who' | 'name';

/** What an answer to a question must say, if it is a place, a time, a number, a person or a name. */
export function kindAsked({ words: spoken, terms }: Sentence): Kind | undefined {
  const has = (some: ReadonlySet<string>) => spoken.some(({ text }) => some.has(text));
  const kind = terms.shape?.kind;
  if (kind === 'age' || has(AGES_ASKED)) return 'age';
  if (kind === 'many' || kind === 'often' || has(COUNTS)) return 'many';
  if (kind === 'duration') return 'duration';
  if (has(NAMES_ASKED)) return 'name';
  if (kind === 'who' || has(WHO)) return 'who';
  if (kind === 'where' || has(PLACES)) return 'where';
  if (kind === 'when' || has(TIMES_ASKED)) return 'when';
  return undefined;
}

/** Whether a word says of which kind the answer is, and nothing of what it is about: `city`. */
export function saysKindAsked(word: string): boolean {
  return [PLACES, TIMES_ASKED, AGES_ASKED, NAMES_ASKED, WHO, COUNTS].some((some) => some.has(word));
}

/** Whether a text says what such a question asks for. */
export function answersKind(kind: Kind, text: string, language: string): boolean {
  const spoken = wordsOf(text, MOST_LOOKED_AT);
  const numbers = NUMBER_WORDS[language]!;
  const isNumber = ({ text: word }: Word) => /\d/.test(word) || (numbers.has(word) && !ARTICLES.has(word));
  if (kind === 'age' || kind === 'many') return spoken.some(isNumber) || COUNTED.test(text);
  if (kind === 'duration')
    return spoken.some(
      (word, at) => isNumber(word) && spoken.slice(at + 1, at + 3).some((next) => UNITS.has(next.text)),
    );
  if (kind === 'when')
    return spoken.some((word, at) => TIMES.has(word.text) || isDate(word, spoken[at + 1]) || isSpan(spoken, at));
  if (kind === 'name') return NAMES.test(text) || spoken.some((word) => isName(text, word, language));
  if (kind === 'who') return spoken.some((word) => PEOPLE.has(word.text) || isName(text, word, language));
  return spoken.some((_, at) => isPlace(text, spoken, at, language));
}

/** Numbers of persons and times: `zu siebt`, `third time`. */
const COUNTED =
  /(?<!\p{L})(?:zu (?:zweit|dritt|viert|fünft|sechst|siebt|acht)|(?:second|third|fourth|fifth) time|twice|zweimal|dreimal|dos veces)(?!\p{L})/iu;

/** `1998`, `the 9th`, but not `20 years`. */
function isDate({ text }: Word, next: Word | undefined): boolean {
  return /\d/.test(text) && !UNITS.has(next?.text ?? '');
}

/** `in eight weeks`. */
function isSpan(spoken: readonly Word[], at: number): boolean {
  return spoken[at]!.text === 'in' && spoken.slice(at + 2, at + 4).some(({ text }) => UNITS.has(text));
}

/** German writes each noun with a capital. */
function isName(text: string, { text: word, start, end }: Word, language: string): boolean {
  if (FIRST_NAMES.has(word)) return true;
  return start > 0 && language !== 'de' && !TIMES.has(word) && /^\p{Lu}\p{Ll}+$/u.test(text.slice(start, end));
}

/** Whether a preposition begins a place there: `from Leeds`, `in tenerife`, not `in March`, not `to move`. */
function isPlace(text: string, spoken: readonly Word[], at: number, language: string): boolean {
  const [always, sometimes] = BEFORE_PLACES[language] ?? BEFORE_PLACES.en!;
  const { text: word } = spoken[at]!;
  if (!always.has(word) && !sometimes.has(word)) return false;
  const next = spoken[at + 1];
  if (!next || /\d/.test(next.text) || TIMES.has(next.text) || NUMBER_WORDS[language]!.has(next.text)) return false;
  const isCapital = /^\p{Lu}/u.test(text.slice(next.start, next.end));
  // `de granada a bilbao`
  const isRoute = sometimes.has(spoken[at - 2]?.text ?? '');
  if (sometimes.has(word)) return isCapital || at === 0 || isRoute || GOING.has(spoken[at - 1]!.text);
  const named = NO_PLACES.has(next.text) ? spoken[at + 2] : next;
  return (
    isCapital || (named !== undefined && !NO_PLACES.has(named.text) && !UNITS.has(named.text) && !TIMES.has(named.text))
  );
}
