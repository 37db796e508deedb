import { OPENERS } from './openers.js';
import type { QuestionKinds } from './question-kinds.js';
import type { Word } from './words.js';

/** How something is said, besides what it is about. */
export interface Shape {
  readonly asks: boolean;
  /** Says something of the user or of others, and asks for nothing. */
  readonly tells: boolean;
  readonly isNegated: boolean;
  /** Names the one who is spoken to. */
  readonly addresses: boolean;
  /** Names the user. */
  readonly isOwn: boolean;
  /** What kind of question it is, if answers to it fit no other: `why`, `who`. */
  readonly kind?: string;
  /** Of whom a statement speaks first. */
  readonly subject?: 'self' | 'other';
}

/** What the examples of an intent have in common. */
export interface Traits {
  /** The kinds of question of its examples. */
  readonly kinds: ReadonlySet<string>;
  /** Whether most of them name the one who is spoken to, so that the avatar is what it is about. */
  readonly isAboutAvatar: boolean;
  /** What most of them name, and what half of them do. */
  readonly topics: readonly string[];
  readonly subjects: readonly string[];
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
export const NEGATIONS = words(
  'no not without kein keine keinen keiner keinem nicht ohne sin ningun ninguna nao sem pas sans',
);
/** Of those, what leaves out a thing, and denies nothing: `without the oven`. */
export const LEAVES_OUT = words('without ohne sin sem sans');
/** The one who is spoken to. */
export const YOU = words(
  'you your yours yourself du dich dir dein deine deinen deinem deiner tu tus te ti eres tienes voce toi ton ta tes',
);
/** Begin statements that ask for something all the same: "I'd like to know how …". */
const WISHES = words(
  'want need would wonder wondering curious how why what tell can could question mochte will wurde brauche wie warum was kannst konntest frage ' +
    'quiero necesito gustaria puedes podrias dices explicas pregunta',
);
/** Those of them that ask for nothing if they are said of others. */
const OTHERS_DO = words('want need would can could will mochte wurde brauche kann kannst');
const SELF = words(
  'i we ich wir mir mich yo nosotros me nos estoy tengo soy vivo trabajo fui he hemos estamos tenemos somos llevo',
);
const OWN = words('me my mine us our mich mir mein meine uns unser mi mis nos nuestro me soy estoy tengo');
/** Asks in German, and tells of the past in English: "I was there for years". */
const [WAS, GERMAN] = ['was', 'ich'];
const FIRST_WORDS = 3;
const OPENING_WORDS = 6;

const NEGATION_ADDED = 0.78;
/** "No, not salmon" is about salmon as little as it can be. */
const NEGATION_TOLD = 0.6;
const NEGATION_MISSING = 0.85;
const TOLD_NOT_ASKED = 0.7;
const ASKED_NOT_TOLD = 0.85;
/** What is left if the question is of a kind that no example has; if no example is a question of any kind. */
const KIND_DIFFERS = 0.64;
const KIND_UNKNOWN = 0.86;
/** Kinds that are often asked without the words for them. */
const LOOSE_KINDS = new Set(['safe', 'choice', 'meaning']);
const NOT_ABOUT_AVATAR = 0.78;
const OTHER_SUBJECT = 0.86;
const MOST_OF_EXAMPLES = 0.6;
const HALF_OF_EXAMPLES = 0.5;
const MOST_KINDS_IN_COMMON = 5_000;

/**
 * @param telling words that statements begin with
 * @param kinds kinds of questions whose answers fit no other
 */
export function shapeOf(
  spoken: readonly Word[],
  asks: boolean,
  telling: ReadonlySet<string>,
  kinds: QuestionKinds,
): Shape {
  const from = Math.max(
    0,
    spoken.findIndex(({ text }) => !OPENERS.has(text)),
  );
  const opening = spoken.slice(from, from + OPENING_WORDS).map(({ text }) => text);
  const subject = asks ? undefined : opening.slice(0, FIRST_WORDS).find((text) => telling.has(text));
  const isSelf = subject !== undefined && SELF.has(subject);
  // "They want an answer" asks for nothing, "I want an answer" does.
  const asksFor = (text: string) =>
    WISHES.has(text) && (isSelf || !OTHERS_DO.has(text)) && (text !== WAS || telling.has(GERMAN));
  const tells = subject !== undefined && !YOU.has(opening[0]!) && !opening.some(asksFor);
  return {
    asks,
    tells,
    isNegated: spoken.some(({ text }) => NEGATIONS.has(text)),
    addresses: spoken.some(({ text }) => YOU.has(text)),
    isOwn: spoken.some(({ text }) => SELF.has(text) || OWN.has(text)),
    kind: tells ? undefined : kinds.of(spoken.slice(from)),
    subject: tells ? (isSelf ? 'self' : 'other') : undefined,
  };
}

/** Sets of kinds that intents have in common: they are few. */
const kindsInCommon = new Map<string, ReadonlySet<string>>();

function kindsOf(examples: readonly Shape[]): ReadonlySet<string> {
  const kinds = [...new Set(examples.flatMap(({ kind }) => kind ?? []))].sort();
  const key = kinds.join(' ');
  const known = kindsInCommon.get(key) ?? new Set(kinds);
  if (kindsInCommon.size < MOST_KINDS_IN_COMMON) kindsInCommon.set(key, known);
  return known;
}

/** @param contents what each of them names */
export function traitsOf(examples: readonly Shape[], contents: readonly (readonly string[])[]): Traits {
  const addressing = examples.filter(({ addresses }) => addresses).length;
  const counts = new Map<string, number>();
  for (const term of contents.flat()) counts.set(term, (counts.get(term) ?? 0) + 1);
  const named = (share: number) =>
    [...counts].filter(([, count]) => count >= share * contents.length).map(([term]) => term);
  const [topics, subjects] = [named(MOST_OF_EXAMPLES), named(HALF_OF_EXAMPLES)];
  return {
    kinds: kindsOf(examples),
    isAboutAvatar: addressing >= MOST_OF_EXAMPLES * examples.length,
    topics,
    subjects: subjects.length === topics.length ? topics : subjects,
  };
}

/** What is left of a score if a request is said otherwise than an example of the same words, from 0 to 1. */
export function likeness(request: Shape, example: Shape, intent: Traits): number {
  let like = 1;
  if (request.isNegated !== example.isNegated)
    like *= !request.isNegated ? NEGATION_MISSING : request.asks ? NEGATION_ADDED : NEGATION_TOLD;
  if (request.tells && example.asks) like *= TOLD_NOT_ASKED;
  if (request.asks && example.tells) like *= ASKED_NOT_TOLD;
  if (request.kind && request.kind !== example.kind && !intent.kinds.has(request.kind))
    like *= intent.kinds.size > 0 && !LOOSE_KINDS.has(request.kind) ? KIND_DIFFERS : KIND_UNKNOWN;
  if (intent.isAboutAvatar && !request.addresses && !request.isOwn) like *= NOT_ABOUT_AVATAR;
  if (request.subject && example.subject && request.subject !== example.subject) like *= OTHER_SUBJECT;
  return like;
}
