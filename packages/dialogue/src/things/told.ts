import { IntentMatch } from '../match/intent-index.js';
import { Sentence } from '../text/sentences.js';
import { unmetBy } from './asked.js';
import { distinct, lastThing, withNameForPronouns } from '../context/last-thing.js';
import { ABOUT, questionOf } from '../match/thing-book.js';
import { withoutNames } from '../match/naming.js';
import { contentOf } from '../text/terms.js';
import { onThing, ThingReply } from './answer.js';
import { ALL_SAID, FAR_AHEAD, SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** Begin Spanish questions besides verbs that say something. */
const VERBS = new Set('es son esta estan tiene tienen puede pueden hay'.split(' '));
const MOST_WORDS = 10;
const MOST_GOING_ON = 4;

/**
 * What is said to a statement on a thing that means a question on it: "my muffins are always tough" asks why they are, and
 * so does "they never rise" behind it.
 */
export function onThingTold(turn: Turn, sentence: Sentence, best?: IntentMatch): ThingReply | undefined {
  const { knowledge } = turn;
  const book = knowledge.things;
  if (!book) return undefined;
  const { words } = sentence;
  if (words.length > MOST_WORDS) return undefined;
  const names = distinct(book.namesIn(words));
  if (names.length > 1) return undefined;
  const [naming] = names;
  const last = naming || turn.said.history.length === 0 ? undefined : lastThing(turn, book);
  const terms = knowledge.terms.ofWords(naming ? withoutNames(words, names) : withNameForPronouns(words), true);
  const things = naming?.things ?? (last?.isMentioned ? [] : last?.things) ?? [];
  for (const thing of things) {
    const match = book.question(thing.kind, terms);
    const answer = match && questionOf(match) !== ABOUT ? thing.says[questionOf(match)] : undefined;
    if (!match || answer === undefined) continue;
    const { shape } = match.example;
    const isTrouble = shape?.asks === false || shape?.kind === 'why';
    const isAll = unmetBy(match, terms) === 0 && contentOf(terms).length > 1;
    const isMeant = isAll ? match.score >= ALL_SAID && match.lead >= FAR_AHEAD : match.score >= SURE;
    if (isTrouble && isMeant && match.score >= (best?.score ?? 0))
      return { score: match.score, reply: { id: match.rule.id, answer, isAnswered: true } };
  }
  return undefined;
}

/**
 * What is said to a question without a mark that begins with its verb, as Spanish and German ones do, or with `and`: `ponen
 * huevos las tortugas`, `frieren die nicht`, `y las cobayas`.
 */
export function onThingInverted(turn: Turn, sentence: Sentence, best?: IntentMatch): ThingReply | undefined {
  const { knowledge } = turn;
  const [first] = sentence.words;
  const { shape } = sentence.terms;
  if (sentence.words.length < 2) return undefined;
  const isVerb = contentOf(sentence.terms).includes(knowledge.terms.stemOf(first!.text)) || VERBS.has(first!.text);
  const goesOn = knowledge.set('continue').best(sentence.words.slice(0, MOST_GOING_ON), sentence.text) !== undefined;
  if (
    !(isVerb || (goesOn && sentence.words.length <= MOST_GOING_ON)) ||
    shape?.subject === 'self' ||
    knowledge.terms.language.startsWith('en')
  )
    return undefined;
  const asked = { ...sentence, asks: true, terms: knowledge.terms.ofWords(sentence.words, true) };
  const found = onThing(turn, asked, best);
  return found?.reply.isAnswered && (goesOn || found.score >= ALL_SAID) ? found : undefined;
}
