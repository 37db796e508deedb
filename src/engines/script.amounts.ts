import { Reply } from './script.choose.js';
import { Sentence } from './script.sentences.js';
import { contentOf } from './script.terms.js';
import { answersOf, MEASURING, sentenceThat } from './script.texts.js';
import { Turn } from './script.turn.js';

const MOST_WORDS = 6;
/** What an answer to "how long?" or "how hot?" names, in any language. */
const UNITS: Readonly<Record<string, RegExp>> = {
  duration:
    /\b(minutes?|hours?|days?|weeks?|months?|minuten?|stunden?|tage?|wochen?|monate?|minutos?|horas?|días?|semanas?|meses|mes)\b/iu,
  size: /\b(met(?:er|re)s?|feet|kilomet(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|zentimetern?|metern?|metros?|kilómetros?|centímetros?)\b/iu,
  far: /\b(kilomet(?:er|re)s?|kilometern?|kilómetros?|light years?|lichtjahren?|años luz|miles|millas)\b/iu,
  weight: /\b(kilos?|kilogramm?s?|tonn?es?|tonnen|toneladas|grams?|gramm|gramos|pounds)\b/iu,
  speed:
    /\b(?:an hour|a second|per hour|per second|in der stunde|in der sekunde|pro stunde|pro sekunde|stundenkilometern?|por hora|por segundo)\b/iu,
  heat: /\b(degrees?|grad|grados)\b/iu,
};
/** Ask for degrees though they begin as other questions do: `how many degrees`. */
const DEGREES = /\b(degrees?|temperature|grad|temperatur|grados|temperatura)\b/iu;

/** An answer to "how long?" or "what temperature?" behind a recipe or a tip: the sentence of it that says so. */
export function amountOf(turn: Turn): Reply | undefined {
  const { talk, said, whole } = turn;
  const last = said.history.at(-1)!.answer;
  const point = talk.pointAfter(last);
  if (!point || !talk.isIntent(point.topic)) return undefined;
  const answer = amountIn(whole, [last, ...answersOf(point.rule), ...answersOf(point.topic)]);
  return answer === undefined ? undefined : { id: point.topic.id, answer, isAnswered: true };
}

/** The sentence of some texts that says what a question asks which names nothing but what is measured. */
export function amountIn(whole: Sentence, texts: readonly string[]): string | undefined {
  const kind = DEGREES.test(whole.text) ? 'heat' : whole.terms.shape?.kind;
  const unit = kind === undefined ? undefined : UNITS[kind];
  return unit && isBare(whole) ? sentenceThat(texts, (text) => unit.test(text)) : undefined;
}

/** Whether a question names nothing but what is measured. */
function isBare({ words, terms }: Sentence): boolean {
  return (
    words.length <= MOST_WORDS &&
    !terms.shape?.addresses &&
    !terms.shape?.tells &&
    contentOf(terms).filter((term) => !MEASURING.has(term)).length <= 1
  );
}
