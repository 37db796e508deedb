import { acknowledgement, wordBonus } from './script.acknowledge.js';
import { afterCrisis } from './script.aftercare.js';
import { withoutAvoided } from './script.avoid.js';
import { Reply, Said } from './script.choose.js';
import { CompiledScript } from './script.compiled.js';
import { continued, Hanging, hangingOf, MEASURES, pointsBack, withStatement } from './script.context.js';
import { urgent } from './script.danger.js';
import { detailOf } from './script.detail.js';
import { ALL, SOME } from './script.facts.js';
import { unknown, wants } from './script.fallback.js';
import { followUp, isInterjection, isReply } from './script.follow.js';
import { IntentMatch } from './script.intents.js';
import { negatedMood, weighing } from './script.mood.js';
import { Match, Rule } from './script.rules.js';
import { clausesOf, embeddedIn, Sentence, sentencesOf, wishedIn, withoutOpening } from './script.sentences.js';
import { aboutLast, knownOf, passageFor, subjectOf } from './script.subject.js';
import { contentOf, saysOf } from './script.terms.js';
import { onThing, onThingAgain } from './script.things.talk.js';
import { unknownOfThing } from './script.things.unknown.js';
import { CAREFUL_THRESHOLD, isMeant, MARGIN, SURE, THRESHOLD } from './script.thresholds.js';
import { Turn } from './script.turn.js';
import { skillReply, tellReply } from './skills/skills.js';

const TOLD_THRESHOLD = 0.6;
/** Of a statement with one word that says something. */
const ONE_TOLD = 0.66;
/** From here on a sentence is an example, or nearly. */
const THE_SAME = 0.93;
/** Rules whose words stand in wishes too: "I would like to …". */
const AGREES = new Set(['yes', 'no']);
const WORD_FOR_WORD = 0.995;
/** What counts for a sentence of several: that it asks. */
const ASKING_BONUS = 0.3;
/** From this share of its words on a sentence says little else than a rule's phrase. */
const MOST_OF_IT = 0.6;

/** A greeting, or thanks, of more words says something else too. */
const LONG_GREETING = 5;
/** What an interjection counts less where something else is said too. */
const INTERJECTION = 2;

interface Candidate {
  readonly value: number;
  readonly isInterjection?: boolean;
  readonly reply: () => Reply;
}

/** The answer of a script that says honestly what it does not know. */
export function converse(said: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): Reply {
  const turn = new Turn(said, script, others, now);
  return (
    urgent(turn) ??
    afterCrisis(turn) ??
    skillReply(turn, turn.whole) ??
    withoutAvoided(
      turn,
      onThingAgain(turn) ??
        followUp(turn) ??
        aboutLast(turn) ??
        detailOf(turn) ??
        answer(turn) ??
        knownOf(turn) ??
        unknownOfThing(turn) ??
        unknown(turn),
    )
  );
}

/** The answer to the sentence that asks most. */
function answer(turn: Turn): Reply | undefined {
  const { terms } = turn.talk;
  const candidates: Candidate[] = [];
  const add = (sentence: Sentence): boolean => {
    const candidate = candidateFor(turn, sentence);
    if (candidate) candidates.push(candidate);
    return candidate !== undefined;
  };
  const sentences = withoutBareQuestion(turn, sentencesOf(turn.request, terms, turn.said.avatar.name)).map(
    (sentence, index, all) => (index > 0 ? { ...sentence, before: all.slice(0, index) } : sentence),
  );
  const left = sentences.filter((sentence) => !add(sentence));
  const isMissing = () => candidates.every((candidate) => candidate.isInterjection);
  if (isMissing()) {
    if (left.length > 0 && sentences.length > 1) add(turn.whole);
    const clauses = clausesOf(turn.whole, terms, turn.said.avatar.name);
    for (const clause of clauses.filter((one) => asksForSomething(turn, one))) add(clause);
    if (isMissing()) for (const clause of clauses.filter((one) => one.terms.shape?.tells)) add(clause);
    if (!left.some((sentence) => wants(turn, sentence)))
      for (const clause of clauses) if (isMissing() && isInterjectionAlone(turn, clause)) add(clause);
    const rests = left.flatMap((sentence) => [
      ...withoutOpening(sentence, terms),
      ...embeddedIn(sentence, terms),
      ...wishedIn(sentence, terms),
    ]);
    for (const rest of rests) if (isMissing()) add(rest);
  }
  if (left.length > 0 && isMissing()) {
    // Thanks for nothing, where a question is left.
    if (sentences.length > 1 && left.some((sentence) => asksForSomething(turn, sentence))) return undefined;
    candidates.push(...left.flatMap((sentence) => acknowledgement(turn, sentence) ?? []));
  } else if (isMissing()) {
    // "Hi Ada, went for a walk on the beach."
    const long = sentences.filter((one) => one.words.length > LONG_GREETING && contentOf(one.terms).length > 1);
    candidates.push(...long.flatMap((sentence) => acknowledgement(turn, sentence) ?? []));
  }
  const rank = ({ value, isInterjection: isLess }: Candidate) => (isLess ? value - INTERJECTION : value);
  return candidates.sort((one, other) => rank(other) - rank(one))[0]?.reply();
}

/** Without "Any ideas?" behind a statement, which says what it is about. */
function withoutBareQuestion({ talk }: Turn, sentences: Sentence[]): Sentence[] {
  const last = sentences.at(-1);
  const before = sentences.slice(0, -1);
  const isBare = last && talk.set('bare').best(last.words, last.text) !== undefined;
  return isBare && before.some(({ terms }) => contentOf(terms).length > 1) ? before : sentences;
}

/** "Thanks" before what is not understood. */
function isInterjectionAlone({ talk }: Turn, { terms }: Sentence): boolean {
  const best = talk.intents.best(terms);
  return best !== undefined && best.score >= SURE && isInterjection(best.rule) && !isReply(best.rule);
}

/** Not the beginning of "is it true that …", which alone would agree. */
function asksForSomething({ talk }: Turn, { asks, terms }: Sentence): boolean {
  const best = talk.intents.best(terms);
  const says = contentOf(terms).length > 0 || (best !== undefined && best.score >= SURE);
  return asks && says && !['yes', 'no'].includes(best?.rule.id ?? '');
}

function candidateFor(turn: Turn, sentence: Sentence): Candidate | undefined {
  const { talk } = turn;
  const content = contentOf(sentence.terms).length;
  const bonus = (sentence.asks ? ASKING_BONUS : 0) + wordBonus(content);
  const candidate = (score: number, reply: () => Reply): Candidate => ({
    value: score + bonus,
    reply,
  });
  const skill = sentence === turn.whole ? undefined : skillReply(turn, sentence);
  if (skill) return candidate(1.2, () => skill);
  const best = talk.intents.best(sentence.terms);
  const isClear = best !== undefined && best.score >= (talk.isIntent(best.rule) ? CAREFUL_THRESHOLD : THE_SAME);
  const mood = isClear ? undefined : negatedMood(turn, sentence);
  if (mood) return candidate(0.9, () => mood);
  const thing = onThing(turn, sentence, best);
  if (thing) return candidate(thing.score, () => thing.reply);
  const hanging = sentence.isClause ? undefined : hangingOf(turn, sentence);
  const hung = hanging && candidateOf(turn, sentence, hanging, best);
  if (hung || (hanging && hanging !== 'short')) return hung && candidate(0.8, () => hung);
  const told = sentence.asks
    ? undefined
    : (turn.introduction(sentence) ?? talk.slots.best(sentence.words, sentence.text));
  const facts = factsFor(turn, sentence, content, best);
  if (facts.length > 0) return candidate(0.9, () => turn.fact(facts));
  const careful = talk.last.best(sentence.words, sentence.text);
  const isSure = best !== undefined && best.score >= (talk.isIntent(best.rule) ? CAREFUL_THRESHOLD : SURE);
  const kept = sentence.asks || isSure || told?.rule === talk.tellName ? undefined : tellReply(turn, sentence);
  if (kept) return candidate(0.8, () => weighing(turn, sentence) ?? kept);
  if (best && isMeant(best, thresholdFor(turn, sentence, best, careful !== undefined)) && !(told && best.score < SURE))
    return {
      ...candidate(best.score, () => turn.from(ruleFor(turn, best.rule))),
      isInterjection: isInterjection(best.rule),
    };
  if (told) return candidate(told.rule === talk.tellName ? 1 : 0.7, () => turn.from(told.rule, told.slots));
  // By the stems that phrases end in: `thank*`.
  const phrase = turn.script.rules.best(sentence.words, sentence.text);
  const isMost = phrase !== undefined && phrase.weight / sentence.words.length >= MOST_OF_IT;
  if (isMost && phrase.rule.priority === 0 && !AGREES.has(phrase.rule.id) && !namesOther(turn, sentence, phrase))
    return candidate(0.6, () => turn.from(phrase.rule, phrase.slots));
  return careful && candidate(0.6, () => turn.from(careful.rule, careful.slots));
}

/** "How do I make naan?" is about more than "how do I make". */
function namesOther({ talk }: Turn, { words, terms, asks }: Sentence, { at, weight }: Match): boolean {
  const rest = [...words.slice(0, at), ...words.slice(at + Math.floor(weight))];
  return (
    asks &&
    terms.shape?.kind !== undefined &&
    rest.some(({ text }) => contentOf(terms).includes(talk.terms.stemOf(text)))
  );
}

/** What answers a sentence that hangs on what was said before. */
function candidateOf(turn: Turn, sentence: Sentence, hanging: Hanging, best?: IntentMatch): Reply | undefined {
  const { talk } = turn;
  const more = continued(turn, sentence, THRESHOLD, best);
  if (more) return turn.from(more);
  const pointed =
    hanging === 'points' && contentOf(sentence.terms).length === 0 ? withStatement(turn, sentence) : undefined;
  if (pointed) return turn.from(pointed);
  if (hanging === 'short') return passageFor(turn, sentence);
  const content = contentOf(sentence.terms);
  const { terms, rule } = subjectOf(turn);
  // By itself it may mean anything: it must be nearly an example, or name the subject too.
  const isMany = saysOf(sentence.terms) > 1;
  const isNear = best !== undefined && best.lead >= MARGIN && best.score >= (isMany ? CAREFUL_THRESHOLD : SURE);
  const shares = content.some((term) => terms.has(term)) && best?.rule !== rule;
  if (
    best &&
    best.score >= THE_SAME &&
    best.lead >= MARGIN &&
    !isReply(best.rule) &&
    (content.length !== 1 || best.score >= WORD_FOR_WORD)
  )
    return turn.from(best.rule);
  if (best && isNear && talk.isIntent(best.rule) && (hanging !== 'points' || isMany || shares))
    return turn.from(best.rule);
  return passageFor(turn, sentence);
}

/** "OK" agrees to a question; to anything else it says that it was understood. */
function ruleFor({ talk, said }: Turn, rule: Rule): Rule {
  const last = said.history.at(-1)?.answer ?? '';
  return rule.id === 'yes' && last !== '' && !last.includes('?') ? (talk.ruleOf('understood') ?? rule) : rule;
}

/** What a match must reach: more if it is but a rule's phrase, or the request needs care. */
function thresholdFor(turn: Turn, sentence: Sentence, { rule }: IntentMatch, needsCare: boolean): number {
  const { asks, terms, isClause, isPart = false } = sentence;
  if (isReply(rule)) return SURE;
  const isRule = !turn.talk.isIntent(rule);
  const content = contentOf(terms).length;
  if (terms.shape?.tells)
    return isRule ? SURE : needsCare ? CAREFUL_THRESHOLD : content < 2 ? ONE_TOLD : TOLD_THRESHOLD;
  // "How fast?" names nothing.
  if (asks && content < 2 && turn.said.history.length > 0 && MEASURES.has(terms.shape?.kind ?? '')) return SURE;
  if ((isPart || isClause) && content < 2) return SURE;
  return needsCare || isPart || (asks && (isRule || pointsBack(turn, sentence))) ? CAREFUL_THRESHOLD : THRESHOLD;
}

/** Facts on what a sentence asks to hear about, or on the only thing that it names. */
function factsFor(
  { talk }: Turn,
  { words, text, terms, asks, isClause }: Sentence,
  content: number,
  best: IntentMatch | undefined,
): readonly string[] {
  // "A joke about dogs" asks for no fact.
  if (['joke', 'story'].some((name) => talk.set(name).best(words, text))) return [];
  if (talk.facts.size === 0 || (best && talk.isIntent(best.rule) && best.score >= SURE)) return [];
  const topic = talk.set('about').best(words, text)?.slots.about;
  const isBare =
    !isClause && words.length <= content + (asks ? 1 : 2) && !terms.shape?.tells && !terms.shape?.isNegated;
  const offered = (topic || isBare) && talk.topics.find((one) => text.toLowerCase().includes(one.toLowerCase()));
  const found = offered ? talk.facts.about(offered, SOME) : topic ? talk.facts.about(topic) : [];
  if (found.length > 0) return found;
  if (talk.set('fact').best(words, text) && content <= 3) return talk.facts.all();
  const isTaken = best && best.score >= (talk.isIntent(best.rule) ? THRESHOLD : SURE);
  return isBare && content <= 3 && !isTaken ? talk.facts.about(text, ALL) : [];
}
