import { Rule } from './rules.js';

const MOST_DEPTH = 4;
/** Between the sentences of an answer. */
const SENTENCE_END = /(?<=[.!?]) /u;
/** A text that says itself how something is done, not one whose parts may be asked for. */
export const INSTRUCTIONS =
  /\d (?:Gramm|Milliliter|Minuten|Grad|grams|millilitres|minutes|degrees|gramos|mililitros|minutos|grados)/u;
/** Kinds of questions that a number answers. */
export const NUMBERS = new Set('far size weight speed heat duration age often many when'.split(' '));
export const REASON =
  /\b(because|since|so that|that is why|causes?|weil|denn|darum|deshalb|damit|porque|por eso|así que|pues)\b/iu;
const NUMBER =
  /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|half|once|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend|millionen|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien|mil|millones|hours?|days?|weeks?|stunden?|tage?|wochen?|horas?|días?|semanas?)\b/iu;

/** Stems of the words that say what is measured, and nothing of what. */
export const MEASURING: ReadonlySet<string> = new Set(
  (
    'long far hot warm cold big larg tall high deep old heavi fast temperatur degre minut hour ' +
    'lang lange weit heiss warm gross hoch tief alt schwer schnell grad minut stund tiemp temperatur grad lej grand alto ' +
    'biggest largest smallest tallest highest deepest oldest heaviest fastest slowest longest hottest coldest ' +
    'grosst kleinst hochst tiefst altest schwerst schnellst langsam langsamst langst heissest kaltest weitest'
  ).split(' '),
);

/** Whether a text says what a kind of question asks for: a reason, a number. */
export function saysKind(text: string, kind: string | undefined): boolean {
  return (kind !== 'why' || REASON.test(text)) && (kind === undefined || !NUMBERS.has(kind) || NUMBER.test(text));
}

/** The answers of a rule, and of what follows it. */
export function answersOf(rule: Rule, depth = 0): string[] {
  const next = depth < MOST_DEPTH ? (rule.then?.all ?? []) : [];
  return [...rule.answers, ...next.flatMap((one) => answersOf(one, depth + 1))];
}

/** The sentences of some answers that say something by themselves and ask nothing. */
export function sentencesIn(answers: readonly string[]): string[] {
  return answers
    .flatMap((text) => text.split(SENTENCE_END))
    .filter((text) => !text.includes('{') && !text.endsWith('?'));
}

/** The first of those that fits. */
export function sentenceThat(answers: readonly string[], fits: (sentence: string) => boolean): string | undefined {
  return sentencesIn(answers).find(fits);
}
