/**
 * A script: one folder, one file a language (`en.json`, `pt.json`, `pt-BR.json`), each holding a {@link ScriptFile}.
 * The scripts that come with the service are the folders of `catalogue/scripts`; `phrases` there is none, it holds
 * the {@link PhraseFile} of each language, which every script may use.
 *
 * **Phrases** say what a user may say. They are compared word by word, whatever the case, accents and punctuation;
 * in Chinese, Japanese and Thai each character is a word.
 *
 * | Written | Meaning |
 * |---|---|
 * | `how are you` | these words side by side, anywhere in the request |
 * | `tired*` | a word that starts so |
 * | `what * music` | up to four words between |
 * | `(hi\|hello) there`, `joke( please\|)` | one of these; an empty one makes it optional |
 * | `^yes`, `yes$`, `^yes$` | only at the start, only at the end, all of the request |
 * | `my name is {name}`, `{city:2}` | a slot: up to three (two) words, remembered; it ends with the clause |
 * | `@greeting` | all phrases of that set |
 * | `air & (no\|hardly) & !show` | also these, and not that, among the fifteen words before and behind |
 *
 * **The rule that answers** is the one with the highest `priority`, then the one whose phrase has the most words, with
 * half a word more for each `^` and `$`, then the first in the file. Those under `then` of the rule that answered last
 * count half a word more; one without `match` counts a word and a half, so that it takes what is hardly about
 * anything else. A priority above 0 goes before them all.
 *
 * **Answers** are chosen by a hash of the request and the length of the history, from those whose `{slots}` are all
 * known, those with the most slots first, and not from the latest answers as long as others are left. `{name}` is
 * what the slot caught last, in any turn of the history; `{Name}` the same with a capital; `{avatar}` the avatar's
 * name; `{last}` its last answer.
 *
 * **Intents** are for what people ask in many ways: a few examples each, in plain words, compared by their stems, so
 * that typing errors, endings and the order of words do not matter. What a request and an example share is weighed
 * against all that the request says; an intent answers above a threshold and ahead of the others.
 *
 * **Things** are what there is to know of many things of a kind: their texts by question. A request that names one, or
 * points back to one, is compared with the `questions` of its kind, as with intents. What has no text for a question is
 * answered honestly.
 *
 * A script with any of `intents`, `facts`, `things`, `topics`, `unknown` or `shared` says honestly what it does not know:
 * - The phrases of its rules are examples too, so that a rule answers only a request that is about little else. As
 *   before, the phrases of rules with slots and with a `priority` above 0 may stand anywhere. Rules with one below 0
 *   answer if nothing else does, before `unknown`.
 * - Of several sentences the one that asks is answered.
 * - A follow-up takes what fits it; one without `match` a short reply that does not ask, and is about nothing else.
 * - A statement that no intent fits as well gets the reaction of `statements` to one like it; else that of `acknowledge`, if
 *   its mood or its kind is known; else one of `heard`.
 * - The rule `crisis`, and those for all scripts with a priority from 90 on, are recognised in all languages of the
 *   script, also with a typing error, and answer in that language.
 * - Small calculations, conversions, the time, and what the user said of themselves (name, family, pets, likes, dates)
 *   to any avatar of the project are answered in English, German and Spanish.
 */
export interface ScriptFile {
  /** At most 500. */
  readonly rules: readonly ScriptRule[];
  /** Said when nothing matches, unless there is something better in `unknown`. */
  readonly fallback: readonly string[];
  /** At most 1,500. Their ids differ from those of the rules. */
  readonly intents?: readonly ScriptIntent[];
  /** At most 2,000. Told when asked for a fact, or for something about a topic. */
  readonly facts?: readonly ScriptFact[];
  /** At most 200, of at most 20 kinds. */
  readonly questions?: ThingQuestions;
  /** By kind, the kind that its things are parts of, `{ "ingredient": "dish" }`: behind both, `it` means the whole first. */
  readonly partOf?: Readonly<Record<string, string>>;
  /** At most 1,000. */
  readonly things?: readonly ScriptThing[];
  /** What the avatar can talk about: nouns that fit after "I can tell you about". At least three. */
  readonly topics?: readonly string[];
  /** Said instead of `fallback` to a request that asks for something; `{topics}` becomes two or three topics. */
  readonly unknown?: readonly string[];
  /** The same, for a request that asks for nothing. */
  readonly heard?: readonly string[];
  /**
   * Answers to a statement of which nothing else is understood but its mood or its kind: `terrible`, `i am going to`.
   * One without `match` takes a reply to a question. Their ids differ from those of the rules.
   */
  readonly acknowledge?: readonly ScriptRule[];
  /** False leaves out what the language's file in `catalogue/scripts/shared` adds; true adds it to rules alone too. */
  readonly shared?: boolean;
  /** Sets of this script, before those of the language with the same name. */
  readonly phrases?: PhraseSets;
}

export interface ScriptRule {
  /** Unique in the file. Also the set of phrases that it matches if `match` is left out: `joke` → `@joke`. */
  readonly id: string;
  /** Phrases, any of which will do. */
  readonly match?: readonly string[];
  /** Phrases in whose presence it does not answer. */
  readonly unless?: readonly string[];
  /** −100 to 100; 0 if left out. */
  readonly priority?: number;
  readonly answers: readonly string[];
  /** What the user may say next. */
  readonly then?: readonly FollowUp[];
}

/** What people may ask for in many ways. */
export interface ScriptIntent {
  /** Unique in the file, rules included. */
  readonly id: string;
  /** 2 to 60 ways to say it, without the signs of phrases. */
  readonly examples: readonly string[];
  readonly answers: readonly string[];
  readonly then?: readonly FollowUp[];
}

export interface ScriptFact {
  /** What it is about: words that a user may name. */
  readonly topics: readonly string[];
  readonly text: string;
}

/** By kind and id, 1 to 60 ways to ask, each with `{thing}`: `{ "animal": { "food": ["what do {thing} eat"] } }`. */
export type ThingQuestions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface ScriptThing {
  /** One of `questions`. */
  readonly kind: string;
  /** At most 30: singular, plural, other words for it. */
  readonly names: readonly string[];
  /** By the ids of its kind's questions; what `about` says is also told of the thing's name alone. */
  readonly says: Readonly<Record<string, string>>;
}

/**
 * What all scripts have in a language but those of rules alone: `catalogue/scripts/shared/en.json`. A script's own rule or intent
 * stands instead of one with the same id; its rule then answers the examples of the intent too.
 */
export interface SharedFile extends Pick<
  ScriptFile,
  'intents' | 'facts' | 'questions' | 'things' | 'topics' | 'unknown' | 'heard' | 'acknowledge'
> {
  /** What the engine says itself, by its name: `why_unknown`. Without one it says nothing of that kind. */
  readonly replies?: PhraseSets;
  readonly rules?: readonly ScriptRule[];
  /** At most 1,500 reactions to what people tell, with examples of it. Only what asks for nothing is compared with them. */
  readonly statements?: readonly ScriptIntent[];
  readonly quiz?: readonly QuizQuestion[];
}

export interface QuizQuestion {
  readonly question: string;
  /** Words, any of which in the user's reply makes it right; the first is the answer that is told. */
  readonly answers: readonly string[];
}

/** Answers to what is said right after a rule has answered. */
export interface FollowUp {
  /** If left out, it takes what no other rule knows well. */
  readonly match?: readonly string[];
  readonly answers?: readonly string[];
  /** Instead of `answers`: those of the rule with an `id` that it belongs to, once more. */
  readonly again?: true;
  readonly then?: readonly FollowUp[];
}

/** What is said in a language, for all scripts. */
export interface PhraseFile {
  /** Spellings to read as others, before anything is compared: `i'm` → `i am`. Not repeated on its own result. */
  readonly rewrite?: Readonly<Record<string, string>>;
  /** Words that no slot takes: `and`, `but`, `because`. */
  readonly stops?: readonly string[];
  /** Words that say little about what a request is about: `the`, `is`, `please`. */
  readonly common?: readonly string[];
  /**
   * Forms of words that no stemmer brings together, each group as one text: `go went gone`. The first stands for all. `=` before one
   * takes that very word alone, where its stem is another word's: `eat =ate eaten`.
   */
  readonly forms?: readonly string[];
  /** Words that a sentence begins with that asks for something: `who`, `can`, `tell`. */
  readonly asking?: readonly string[];
  /** Words that a statement begins with: `i`, `my`, `she`. What a statement says is compared with statements. */
  readonly telling?: readonly string[];
  /**
   * Kinds of questions whose answers fit no question of another kind, by what they begin with: `"far": ["how far"]`. A
   * word behind `*` makes it one wherever it stands: `"safe": ["is it safe", "*poisonous"]`.
   */
  readonly kinds?: PhraseSets;
  readonly sets: PhraseSets;
}

export type PhraseSets = Readonly<Record<string, readonly string[]>>;

/** A script that cannot be used; `faults` each start with a file name and the place in it. */
export class ScriptError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ScriptError';
  }
}
