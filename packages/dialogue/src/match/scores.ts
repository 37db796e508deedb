import { IntentMatch } from './intent.js';

// What decides which answer is given, in ascending order. All but the last section are on the scale of `IntentMatch.score`,
// from 0 to 1. Factors of a score, shares of words, and priorities are on others, and stand where they are used.

/** A short reply that is less like all intents is only a reply. */
export const ONLY_A_REPLY = 0.45;
/** From here on an intent answers if nothing else asks for more. */
export const THRESHOLD = 0.57;
/** From here on an intent goes before a follow-up that has only some of the words of a request. */
export const OTHER_THAN_FOLLOW_UP = 0.58;
/** From here on a statement on a thing means a question all of whose words it has. */
export const ALL_SAID = 0.6;
/** From here on another intent is what the user may eat, instead of one that names what they do not. */
export const FITS_DIET = 0.6;
/** Below, an intent is not meant if another fits as well, or if a question names too much that is nothing of it. */
export const CLEAR = 0.64;
/** From here on a question is one on two things that are compared. */
export const COMPARED = 0.64;
/** From here on an intent goes before a question on a thing that has fewer of the words. */
export const MORE_THAN_OF_THING = 0.64;
/** From here on an intent answers a statement of several words that say something. */
export const TOLD_THRESHOLD = 0.64;
/** From here on a sentence that does not say that it continues means an intent together with what was said before it. */
export const WITH_EARLIER = 0.64;
/** From here on an answer that names what the user does not eat was asked for: then it is said that it is withheld. */
export const WITHHELD = 0.66;
/** From here on an intent answers though a rule of last resort has words for the request. */
export const OVER_LAST_RESORT = 0.68;
/** What a thing that is named alone scores. */
export const NAMED_ALONE = 0.7;
/** From here on a reply, or an interjection, is no follow-up of an earlier answer. */
export const OTHER_REPLY = 0.7;
/** From here on a statement gets the reaction to one like it. */
export const REACTION = 0.7;
/** From here on a question is for what a slot remembers of the user. */
export const ASKS_FOR_SLOT = 0.7;
/** From here on an intent answers where care is needed, or where something else may be meant. */
export const CAREFUL_THRESHOLD = 0.72;
/** From here on a question after words of danger is about something else. */
export const OTHER_THAN_CRISIS = 0.75;
/** From here on an intent answers a statement with one word that says something. */
export const ONE_WORD_TOLD = 0.76;
/** From here on it means one with one word of what was said before it, or once more the one that answered last. */
export const WITH_ONE_EARLIER = 0.8;
/** From here on an intent is surely meant. */
export const SURE = 0.85;
/** From here on a statement with one word that says something, which may be said in any mood, gets a reaction. */
export const ONE_WORD_REACTION = 0.88;
/** From here on a question for an amount means something else than the last answer. */
export const OTHER_AMOUNT = 0.9;
/** From here on a question that points to a thing is one on it, however well an intent fits. */
export const SURELY_OF_THING = 0.9;
/** From here on a sentence is an example, or nearly. */
export const THE_SAME = 0.93;
/** From here on an example of a script fits another intent, or another question on a thing, too well. */
export const TOO_CLOSE = 0.97;
/** From here on a request is an example, word for word. */
export const WORD_FOR_WORD = 0.995;

// How far one score is ahead of another.

/** Less is no difference: both fit as well. */
export const MARGIN = 0.03;
/** An intent that is surely meant goes before a thing that fits better by less. */
export const NEARLY_AS_WELL = 0.05;
/** What the score of an intent that all scripts share counts less, unless a request is an example word for word. */
export const GENERAL_HANDICAP = 0.1;
/** From here on an intent is so far ahead of all others that it needs less. */
export const FAR_AHEAD = 0.2;

// What a sentence of a request counts among the others: the score of what answers it, or one of these if it has none. To
// this is added that it asks, and its words; of greetings and thanks beside something else, it is subtracted.

/** For each word that says something. */
export const WORD_BONUS = 0.04;
/** For a sentence that asks. */
export const ASKING_BONUS = 0.3;
/** What a rule of last resort, a rule by its phrase, and a skill that finds nothing count. */
export const LAST_RESORT_VALUE = 0.6;
/** What a rule whose slots remember what is told of the user counts. */
export const SLOT_VALUE = 0.7;
/** What the confirmation that something is remembered counts. */
export const REMEMBERED_VALUE = 0.8;
/** What an answer in the context of what was said before counts. */
export const CONTEXT_VALUE = 0.8;
/** What a fact counts. */
export const FACT_VALUE = 0.9;
/** What an answer to a mood counts. */
export const MOOD_VALUE = 0.9;
/** What an answer to the name of the user counts. */
export const NAME_VALUE = 1;
/** What the result of a skill counts. */
export const SKILL_VALUE = 1.2;
/** What a greeting, thanks, or an aside counts less where something else is said too. */
export const INTERJECTION_COST = 2;

/** Whether a match reaches a score, and is clear or ahead of the second. */
export function isMeant({ score, lead }: IntentMatch, threshold: number): boolean {
  return score >= threshold && (score >= Math.max(threshold + MARGIN, CLEAR) || lead >= MARGIN);
}
