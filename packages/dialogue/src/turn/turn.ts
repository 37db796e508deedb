import { slotsOf } from '../format/faults.js';
import {
  choose,
  HISTORY_CHARACTERS,
  HISTORY_TURNS,
  Known,
  MOST_WORDS,
  oneNotAmong,
  Reply,
  Said,
  seedOf,
} from './choose.js';
import { CompiledScript } from '../script/compiled.js';
import { KnowledgeBase } from '../script/knowledge-base.js';
import { Point } from '../script/answer-points.js';
import { FIRST_NAMES } from '../text/first-names.js';
import { nameAlone } from '../text/introduction.js';
import { Match, Rule } from '../match/rules.js';
import { Sentence, sentenceOf, sentencesOf } from '../text/sentences.js';
import { withCommonWords } from './spelling.js';
import { contentOf } from '../text/terms.js';
import { fold, rewritten, Word, wordsOf } from '../text/words.js';
import { NUMBER_WORDS } from '../text/numbers.js';

const INDEFINITE = /^(?:an?|eine[mnr]?|ein|una?) /iu;
/** With these a name is told in passing, in any language. */
const BY_THE_WAY = /(?:^|[\s,.])(?:by the way|btw|übrigens|por cierto)(?!\p{L})/iu;
/** Who greets says who it is: "hola soy zoraida"; but not by words that say what someone is. */
const GREETS = new Set('hi hello hey hallo moin servus hola buenas ey'.split(' '));
const NO_NAME =
  /(?:ed|ing|ful|less|ish|ous|ive|ig|isch|lich|los|end|iert|er|erin|[aeo]n[ao]|[^rl]in[ao]|ens[ea]|e[ñn][ao]|ista|er[ao]|or|ora|ante|ic[ao]|os[ao]|[aiu]d[ao])$/u;
const CAPITAL = /^\p{Lu}\p{Ll}/u;
const LETTERS = /^\p{L}+$/u;
/** How many earlier requests may say what this one is about. */
const LATEST = 4;

/** What was caught, but for a place that is none: "I come from a tiny office". */
export function withoutFalsePlace<Caught extends Pick<Match, 'slots'>>(caught: Caught | undefined): Caught | undefined {
  return INDEFINITE.test(caught?.slots.place ?? '') ? undefined : caught;
}

/** Whether a word that may be a name is one by what stands around it. */
function saysWho(text: string, [first]: readonly Word[], name: string): boolean {
  return BY_THE_WAY.test(text) || (GREETS.has(first?.text ?? '') && !NO_NAME.test(fold(name)));
}

/** A turn of a conversation, with what is worked out only if it is needed. */
export class Turn {
  readonly knowledge: KnowledgeBase;
  /** What the user says, ready to be split into sentences. */
  readonly request: string;
  readonly whole: Sentence;
  /** Chooses among answers: the same conversation gets the same. */
  readonly seed: number;
  private slots?: Known;
  private latest?: readonly Sentence[];
  private earlier?: readonly string[];
  private readonly points = new Map<string, Point | undefined>();

  /** @param now Unix time in milliseconds */
  constructor(
    readonly said: Said,
    readonly script: CompiledScript,
    readonly others: readonly CompiledScript[],
    readonly now: number,
  ) {
    this.knowledge = script.knowledge!;
    this.request = withCommonWords(this.knowledge.terms.readable(said.request), script, this.knowledge);
    this.whole = sentenceOf(this.request, this.knowledge.terms, said.avatar.name);
    this.seed = seedOf(said);
  }

  /** An answer of a rule. */
  replyFrom(rule: Rule, slots: Known = {}): Reply {
    const needs = rule.answers.some((answer) => slotsOf(answer).some((slot) => slot !== 'avatar' && slot !== 'last'));
    const known = needs ? { ...this.known(), ...slots } : slots;
    return {
      id: rule.id,
      answer: choose(this.knowledge.isIntent(rule) ? this.fitting(rule.answers) : rule.answers, this.said, known),
      isAnswered: true,
    };
  }

  /** Of several answers those that name most of what the request names, if they differ in that. */
  private fitting(answers: readonly string[]): readonly string[] {
    const asked = contentOf(this.whole.terms);
    if (answers.length < 2 || asked.length === 0) return answers;
    const told = new Set(this.said.history.map(({ answer }) => answer));
    const fresh = answers.filter((answer) => !told.has(answer));
    const counts = fresh.map((answer) => {
      const terms = this.knowledge.terms.of(answer);
      return asked.filter((term) => terms.has(term)).length;
    });
    const most = Math.max(...counts);
    return most > 0 ? fresh.filter((_, index) => counts[index] === most) : answers;
  }

  /** What the engine says itself, if the language has words for it. */
  builtInReply(name: string, isAnswered: boolean): Reply | undefined {
    const texts = this.knowledge.replies(name);
    const id = isAnswered ? name : 'unknown';
    return texts.length > 0 ? { id, answer: choose(texts, this.said, {}), isAnswered } : undefined;
  }

  /** One of some facts, not one that was told lately. */
  fact(facts: readonly string[]): Reply {
    return {
      id: 'fact',
      answer: oneNotAmong(this.said.history, facts, this.seed),
      isAnswered: true,
    };
  }

  /** "I'm Bob", "I'm bob, just got home": with a capital or a name that is known, for "I'm tired" is none. */
  introduction(sentence: Sentence, last = this.said.history.at(-1)?.answer): Pick<Match, 'rule' | 'slots'> | undefined {
    const rule = this.knowledge.tellName;
    if (!rule) return undefined;
    const { words, text } = sentence;
    const alone = nameAlone(sentence, last);
    if (alone !== undefined) return { rule, slots: { name: alone } };
    const set = this.knowledge.set('introduction');
    const first = words.findIndex(({ clause }) => clause !== words[0]!.clause);
    const clauses = [...new Set(words.map(({ clause }) => clause))];
    const each = clauses.map((clause) => words.filter((word) => word.clause === clause));
    const parts = first < 0 ? [words] : [words, ...each, words.slice(first)];
    for (const part of parts) {
      const slots = set.best(part, text)?.slots;
      const name = slots?.name ?? '';
      const isName = (CAPITAL.test(name) && !this.isNoun(part)) || FIRST_NAMES.has(fold(name));
      if (slots && (isName || (saysWho(text, words, name) && this.isUnknown(name)))) return { rule, slots };
    }
    return undefined;
  }

  /** Whether what stands behind "ich bin" alone may be any German noun. */
  private isNoun([first, , ...others]: readonly Word[]): boolean {
    return this.knowledge.terms.language.startsWith('de') && first?.text === 'ich' && others.length === 1;
  }

  /** Whether nothing else is called so. */
  private isUnknown(word: string): boolean {
    const isNumber = NUMBER_WORDS[this.knowledge.terms.language.slice(0, 2)]?.has(fold(word));
    return LETTERS.test(word) && !isNumber && !this.knowledge.intents.knows(this.knowledge.terms.stemOf(fold(word)));
  }

  /** Where an answer leads. */
  pointAfter(answer: string): Point | undefined {
    if (!this.points.has(answer)) this.points.set(answer, this.knowledge.pointAfter(answer));
    return this.points.get(answer);
  }

  /** What the user said before of late, the oldest first, to any avatar of the project if that is known. */
  statements(): readonly string[] {
    const { said, history } = this.said;
    return (this.earlier ??= (said ?? history)
      .slice(-HISTORY_TURNS)
      .map(({ request }) => this.knowledge.terms.readable(request.slice(0, HISTORY_CHARACTERS))));
  }

  /** The latest requests before this one, the last first. */
  get requests(): readonly Sentence[] {
    return (this.latest ??= this.said.history
      .slice(-LATEST)
      .toReversed()
      .map(({ request }) => sentenceOf(request.slice(0, HISTORY_CHARACTERS), this.knowledge.terms)));
  }

  /** What the rules' slots remember. */
  private known(): Known {
    if (this.slots) return this.slots;
    const known: Record<string, string> = {};
    const history = this.said.history.map(({ request }, index, all) => ({
      request: this.knowledge.terms.readable(request.slice(0, HISTORY_CHARACTERS)),
      before: all[index - 1]?.answer,
    }));
    for (const statement of [...this.statements(), this.said.request.slice(0, HISTORY_CHARACTERS)]) {
      const words = wordsOf(statement, MOST_WORDS);
      for (const { remembering, rewrites } of [...this.others, this.script])
        Object.assign(
          known,
          withoutFalsePlace({ slots: remembering.slots(rewritten(words, rewrites), statement) })?.slots,
        );
      const last = history.find(({ request }) => request === statement)?.before;
      for (const sentence of sentencesOf(statement, this.knowledge.terms, this.said.avatar.name))
        Object.assign(known, this.introduction(sentence, last ?? '')?.slots);
    }
    return (this.slots = known);
  }
}
