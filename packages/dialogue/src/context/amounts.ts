import { Reply } from '../turn/choose.js';
import { Sentence } from '../text/sentences.js';
import { Shape } from '../text/shape.js';
import { contentOf, Terms, TermWeights } from '../text/terms.js';
import { MEASURING, sentencesIn } from '../match/answer-sentences.js';
import { threadOf } from './thread.js';
import { CAREFUL_THRESHOLD, OTHER_AMOUNT } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { fold } from '../text/words.js';
import { NUMBER_WORDS } from '../text/numbers.js';

const MOST_WORDS = 9;
/** What it counts that a sentence names what was asked about before. */
const HALF = 0.5;
/** What an answer to "how long?" or "how hot?" names, in any language. */
const UNITS: Readonly<Record<string, RegExp>> = {
  duration:
    /\b(minutes?|hours?|days?|weeks?|months?|overnight|minuten?|stunden?|tage?n?|wochen?|monate?n?|nacht|minutos?|horas?|hora y media|días?|semanas?|meses|mes|noche)\b/iu,
  size: /\b(met(?:er|re)s?|feet|kilomet(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|zentimetern?|metern?|metros?|kilómetros?|centímetros?)\b/iu,
  far: /\b(kilomet(?:er|re)s?|kilometern?|kilómetros?|light years?|lichtjahren?|años luz|miles|millas)\b/iu,
  weight: /\b(kilos?|kilogramm?s?|tonn?es?|tonnen|toneladas|grams?|gramm|gramos|pounds)\b/iu,
  speed:
    /\b(?:an hour|a second|per hour|per second|in der stunde|in der sekunde|pro stunde|pro sekunde|stundenkilometern?|por hora|por segundo)\b/iu,
  heat: /\b(?:degrees?|grad|grados|(?:a|at|bei|auf) (?:1[2-9]|2\d)\d)\b/iu,
  when: /\b(?:spring|summer|autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december|morning|evening|(?:1[5-9]|20)\d\d|frühling|frühjahr|sommer|herbst|januar|februar|märz|mai|juni|juli|oktober|dezember|morgens|abends|primavera|verano|otoño|invierno|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|mañana|noche)\b/iu,
};
/** Kinds of questions that are answered in the same units. */
export const LENGTHS: ReadonlySet<string> = new Set(['size', 'far']);
/** Kinds of questions for an amount, of which another may be asked: "and in the pan?", "and for five?". */
const AMOUNTS: ReadonlySet<string> = new Set([...Object.keys(UNITS), 'many', 'much']);
const EACH =
  /(?:\ba (?:head|person)|\bper (?:head|person)|\bfor each|\beach\b|\bpro (?:kopf|person|nase)|\bje person|\bpor (?:cabeza|persona|comensal)|\bcada uno)(?!\p{L})/iu;
const PEOPLE = new Set('peopl person leut gast gaste personen person'.split(' '));
/** Ask for degrees though they begin as other questions do: `how many degrees`. */
const DEGREES = /\b(degrees?|temperature|grad|temperatur|grados|temperatura)\b/iu;

/** Not how long something lasts: "five rounds a day". */
const RATE =
  /\b(?:a|an|per|each|every|this|next|am|pro|jede[ns]?|diese[nr]?|al|cada|por|est[ae]) (?:hour|day|week|month|tag|woche|monat|stunde|día|semana|mes|hora)\b/giu;

/** Words for one thing that is done to food, in any language: "how long must it rest?" asks for "let it rise two hours". */
const DOINGS = [
  'rest rise prove proof stand stay leave sit chill cool marinate soak ruhen ruht gehen geht stehen steht ziehen zieht kühlen quellen einweichen einwirken bleiben reposar reposo levar enfriar dejar remojo',
  'bake baked oven roast tray backen backt gebacken ofen backofen braten schmoren hornear horno asar',
  'boil cook simmer water kochen kocht köcheln köchelt sieden garen ziehen cocer hervir cocción cueza fuego removiendo',
  'fry pan sear turn flip braten brät pfanne wenden freír sartén',
];
/** The second, which is done at so many degrees. */
const BAKING = 1;
/** Words that say but that something lasts, or where it is. */
const LASTING =
  'take last need wait before beforehand dauern dauert warten brauchen braucht vorher drin rein tardar tarda durar dura esperar espero antes lleva';

/** The stems of those in a language. */
interface Wording {
  readonly doings: readonly ReadonlySet<string>[];
  readonly lasting: ReadonlySet<string>;
}
const wordings = new WeakMap<Terms, Wording>();

/** An answer to "how long?" or "what temperature?" behind a recipe or a tip: the sentence of it that says so. */
export function amountOf(turn: Turn): Reply | undefined {
  const thread = threadOf(turn);
  const [asked, before] = [turn.whole, turn.requests[0]].map((one) => one?.terms.shape?.kind ?? '');
  // How far it is does not say how big it is.
  if (!thread || (asked !== before && LENGTHS.has(asked!) && LENGTHS.has(before!))) return undefined;
  const answer = amountIn(turn, turn.whole, thread.texts);
  return answer === undefined ? undefined : { id: thread.id, answer, isAnswered: true };
}

/** An answer to "and in the pan?" behind "how long in the oven?": the sentence of what was told that says so of it. */
export function amountAgain(turn: Turn, sentence: Sentence): Reply | undefined {
  const { knowledge, said, requests } = turn;
  const { terms, words, text } = sentence;
  const { shape } = terms;
  const kind = requests[0]?.terms.shape?.kind ?? '';
  const goesOn = shape && !shape.kind && knowledge.set('continue').best(words, text);
  const thread = goesOn && AMOUNTS.has(kind) ? threadOf(turn) : undefined;
  if (!thread) return undefined;
  const texts = [said.history.at(-1)!.answer, ...thread.texts];
  const asked = { ...sentence, terms: withShape(terms, { ...shape!, kind, asks: true, tells: false }) };
  const each = perPerson(turn, sentence, texts);
  const answer = each ?? amountIn(turn, asked, texts);
  const saying = answer === undefined ? undefined : knowledge.terms.of(answer);
  const isNamed = each !== undefined || (saying && contentOf(terms).every((term) => saying.has(term)));
  return isNamed ? { id: thread.id, answer: answer!, isAnswered: true } : undefined;
}

/** "And for five?" asks for what was said of each. */
function perPerson({ knowledge }: Turn, { words, terms }: Sentence, texts: readonly string[]): string | undefined {
  const numbers = NUMBER_WORDS[knowledge.terms.language.slice(0, 2)];
  const isNumber = (text: string) => /^\d+$/u.test(text) || numbers?.has(text) === true;
  const stems = new Set(words.filter(({ text }) => isNumber(text)).map(({ text }) => knowledge.terms.stemOf(text)));
  const isOther = contentOf(terms).some((term) => !stems.has(term) && !PEOPLE.has(term));
  return stems.size === 0 || isOther ? undefined : sentencesIn(texts).find((text) => EACH.test(text));
}

function withShape(terms: TermWeights, shape: Shape): TermWeights {
  return Object.assign(new Map(terms), { shape });
}

/** The sentence of some texts that says what a question asks which names little but what is measured. */
export function amountIn({ knowledge, requests }: Turn, whole: Sentence, texts: readonly string[]): string | undefined {
  const { words, text, terms } = whole;
  const { shape } = terms;
  const kind = DEGREES.test(text) ? 'heat' : shape?.kind;
  const unit = kind === undefined ? undefined : UNITS[kind];
  if (!unit || words.length > MOST_WORDS || shape?.addresses || shape?.tells) return undefined;
  const all = [...new Set(sentencesIn(texts))];
  const found = all.filter((one) => unit.test(one.replace(RATE, '')));
  if (found.length === 0) return undefined;
  const { doings, lasting } = wordingOf(knowledge.terms);
  const stems = words.map((word) => knowledge.terms.stemOf(word.text));
  const done = doings.filter((doing) => stems.some((stem) => doing.has(stem)));
  const named = contentOf(terms).filter((term) => !MEASURING.has(term) && !lasting.has(term));
  const things = named.filter((term) => !done.some((doing) => doing.has(term)));
  if (things.length === 0 && (found.length === 1 || done.length === 0)) return found[0];
  const best = things.length > 0 ? (knowledge.intents.best(terms)?.score ?? 0) : 0;
  if (best >= OTHER_AMOUNT) return undefined;
  const termsOf = new Map((things.length > 0 ? all : found).map((one) => [one, [...knowledge.terms.of(one).keys()]]));
  // What is asked of something that is not in it is another question.
  const isOther = things.some((term) => ![...termsOf.values()].some((some) => some.includes(term)));
  if (isOther && best >= CAREFUL_THRESHOLD) return undefined;
  const before = new Set(requests.flatMap((request) => contentOf(request.terms)));
  const doesIn = (one: string) => done.filter((doing) => termsOf.get(one)!.some((term) => doing.has(term))).length;
  const bakes = done.includes(doings[BAKING]!);
  const fit = (one: string) => {
    const says = termsOf.get(one)!;
    const names = says.filter((term) => named.includes(term)).length;
    const isHot = bakes && UNITS.heat!.test(one) ? 1 : 0;
    return doesIn(one) + names + isHot + (says.some((term) => before.has(term)) ? HALF : 0);
  };
  const [first] = found.toSorted((one, other) => fit(other) - fit(one));
  if (isOther && doesIn(first!) === 0) return undefined;
  return found.length === 1 || fit(first!) >= 1 ? first : undefined;
}

function wordingOf(terms: Terms): Wording {
  const stems = (text: string) => new Set(text.split(' ').map((word) => terms.stemOf(fold(word))));
  const known = wordings.get(terms) ?? { doings: DOINGS.map(stems), lasting: stems(LASTING) };
  wordings.set(terms, known);
  return known;
}
