import type { SecondPerson, Spoken } from '../text/second-person.js';

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Behind these the verb stands at the end of its clause. */
const SUBORDINATING = list(
  'weil dass wenn ob als obwohl bevor nachdem seit seitdem bis falls damit sodass während solange sobald da wo was wie wer warum wieso die der das den dem',
);
/** May stand between such a word and the subject. */
const BETWEEN = list('sich es ja doch auch gestern heute immer');
const LEAVE_OUT_ICH = list('hab habe bin');
const LINKS = list('und aber oder sondern denn doch');
/** Words in `-e` that are no verbs. */
const NO_VERBS = list(
  'eine keine meine deine seine ihre unsere eure diese jede alle viele beide gerne heute bitte ohne lange bald solche welche ' +
    'andere letzte erste zweite neue alte ganze große kleine gute schöne die nie sie wie je zusammen fertige leise beinahe danke müde böse',
);
const SUBJECTS = list('er sie es man wir ich die der das');
/** Behind these, verbs in `-en` are infinitives. */
const MODAL_OF_WIR = list(
  'wollen können müssen sollen dürfen möchten werden würden könnten wollten konnten mussten sollten',
);
const LEAST_LETTERS = 3;

/** A statement of `ich` to `du`, of `wir` to `ihr`, each with its verb; undefined where a verb is not found. */
export function germanVerb(
  spoken: readonly Spoken[],
  { verbs }: SecondPerson,
): ReadonlyMap<number, string> | undefined {
  const turned = new Map<number, string>();
  const forms = { ich: (word: Spoken) => ofDu(word, verbs), wir: (word: Spoken) => ofIhr(word, verbs) };
  for (const [index, { text }] of spoken.entries()) {
    if (text !== 'ich' && text !== 'wir') continue;
    const formOf = forms[text];
    const at = verbOf(spoken, index, (place) => spoken[place] !== undefined && formOf(spoken[place]) !== undefined);
    // "Hab ich versucht" says not what.
    if (at === undefined || (at === 0 && index === 1)) return undefined;
    turned.set(at, formOf(spoken[at]!)!);
  }
  const [first, second] = spoken;
  // "Hab meinen Job verloren."
  if (first && second?.text !== 'ich' && LEAVE_OUT_ICH.has(first.text)) turned.set(0, `du ${verbs.get(first.text)}`);
  const subject = turned.get(0)?.startsWith('du ') ? 'ich' : spoken.find(isSubject)?.text;
  if (subject !== 'ich' && subject !== 'wir') return turned;
  const isModal = spoken.some(({ text }) => MODAL_OF_WIR.has(text));
  // "Ich bin müde und habe Hunger."
  for (const [index, word] of spoken.entries()) {
    const before = spoken[index - 1];
    const isLinked = LINKS.has(before?.text ?? '') || (before?.clause !== word.clause && verbs.has(word.text));
    if (turned.has(index) || !isLinked || (subject === 'wir' && isModal)) continue;
    const other = forms[subject](word);
    if (other !== undefined && !SUBJECTS.has(spoken[index + 1]?.text ?? '')) turned.set(index, other);
  }
  return turned;
}

function isSubject({ text }: Spoken): boolean {
  return text === 'ich' || text === 'wir';
}

/** Where the verb of a subject stands: at the end behind `weil`, else beside it. */
function verbOf(spoken: readonly Spoken[], subject: number, isVerb: (place: number) => boolean): number | undefined {
  let opening = subject - 1;
  while (opening >= 0 && BETWEEN.has(spoken[opening]!.text)) opening--;
  const isInside = opening >= 0 && SUBORDINATING.has(spoken[opening]!.text);
  const { clause } = spoken[subject]!;
  if (isInside) {
    let end = subject + 1;
    while (end < spoken.length && spoken[end]!.clause === clause && !LINKS.has(spoken[end]!.text)) end++;
    return end - 1 > subject && isVerb(end - 1) ? end - 1 : undefined;
  }
  const isBefore = spoken[subject - 1]?.clause === clause && isVerb(subject - 1);
  const isBehind = spoken[subject + 1]?.clause === clause && isVerb(subject + 1);
  if (isBefore && !(isBehind && !isBefore)) return subject - 1;
  return isBehind ? subject + 1 : undefined;
}

/** `habe` as `hast`: known ones, and those in `-e` by their rule. */
function ofDu({ text, isCapital }: Spoken, verbs: ReadonlyMap<string, string>): string | undefined {
  const known = verbs.get(text);
  if (known !== undefined) return known;
  if (isCapital || text.length < LEAST_LETTERS || NO_VERBS.has(text) || !text.endsWith('e')) return undefined;
  const stem = text.slice(0, -1);
  if (/(?:[bdfgkmnpstz]|ch)l$/u.test(stem)) return `${stem.slice(0, -1)}elst`;
  if (/(?:[td]|[^lrhmaeiouäöü]m|(?:ch|ff|g|ck|k|t|d)n)$/u.test(stem)) return `${stem}est`;
  return /[sßzx]$/u.test(stem) ? `${stem}t` : `${stem}st`;
}

/** `haben` as `habt`. */
function ofIhr({ text, isCapital }: Spoken, verbs: ReadonlyMap<string, string>): string | undefined {
  const known = verbs.get(text);
  if (known !== undefined && /(?:n|nd)$/u.test(text)) return known;
  if (isCapital || text.length < LEAST_LETTERS || !text.endsWith('n')) return undefined;
  const stem = text.replace(/e?n$/u, '');
  if (/(?:el|er)$/u.test(stem) && !text.endsWith('en')) return `${stem}t`;
  return /(?:[td]|[^lrhmaeiouäöü]m|(?:ch|ff|g)n)$/u.test(stem) ? `${stem}et` : `${stem}t`;
}
