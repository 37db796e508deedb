import { Conversation } from './script.conversation.js';
import { leftOutIn } from './script.pointing.es.js';
import { Sentence } from './script.sentences.js';
import { Word } from './script.words.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const MOST_WORDS = 12;
/** Words that point back to someone, in English: the other languages have them among their phrases. */
const PERSONS = list('he him his she her');
/** German articles, which name what was said before where no noun follows: `wie alt werden die`. */
const ARTICLES = list('der die das den dem');
/** What follows them then: no noun does. */
const NO_NOUNS = list(
  'so auch denn eigentlich wirklich noch schon immer nicht nie mal da dann jetzt sich im am in an bei beim mit ohne fur von vom zu zum zur aus auf nach ' +
    'vor vorher nachher bis um uber unter ein eine einen einem der die das den dem mir dir uns man ich du wir lange oft genau uberhaupt wieder selber selbst ' +
    'morgens abends drin drauf draussen drinnen rein raus ganz viel mehr gut besser gar nur sonst alle allein roh kalt warm ab auseinander zuerst heute',
);
/** What such an article begins a statement before. */
const VERBS = list(
  'ist sind war waren wird werden hat haben geht gehen kann konnen muss mussen soll sollen darf durfen schmeckt schmecken sieht sehen fallt fallen klebt kleben ' +
    'bleibt bleiben macht machen kommt kommen riecht riechen bellt lauft laufen brennt brennen schlaft schlafen frisst fressen will wollen',
);
/** With these a question ends in an infinitive: `kann man die einfrieren`. */
const MODALS = list(
  'kann konnen konnte konnten muss mussen musste soll sollen sollte sollten darf durfen durfte will wollen lasst',
);
const INFINITIVE = /(?:en|ern|eln|tun)$/;

interface Pointing {
  readonly at: number;
}
const found = new WeakMap<readonly Word[], Pointing | null>();

/** Where a sentence names what it is about by a word such as `it`, or not at all where its language leaves that out. */
export function pointingIn(talk: Conversation, sentence: Pick<Sentence, 'words' | 'text'>): Pointing | undefined {
  const { words } = sentence;
  let pointing = found.get(words);
  if (pointing === undefined) {
    pointing = findIn(talk, sentence) ?? null;
    found.set(words, pointing);
  }
  return pointing ?? undefined;
}

function findIn(talk: Conversation, { words, text }: Pick<Sentence, 'words' | 'text'>): Pointing | undefined {
  const said = talk.set('pointing').best(words, text);
  if (said || words.length > MOST_WORDS) return said;
  const { language } = talk.terms;
  const at = language.startsWith('de')
    ? words.findIndex((_, index) => standsAlone(words, index))
    : language.startsWith('es')
      ? leftOutIn(words)
      : words.findIndex((word) => PERSONS.has(word.text));
  return at < 0 ? undefined : { at };
}

/** Whether a German article has no noun. */
function standsAlone(words: readonly Word[], at: number): boolean {
  if (!ARTICLES.has(words[at]!.text)) return false;
  const next = words[at + 1];
  if (at === 0) return next !== undefined && VERBS.has(next.text);
  // "…, die …" begins a clause.
  if (words[at - 1]!.clause !== words[at]!.clause) return false;
  if (!next || next.clause !== words[at]!.clause || NO_NOUNS.has(next.text)) return true;
  const isLast = at + 2 === words.length;
  return isLast && INFINITIVE.test(next.text) && words.slice(0, at).some(({ text }) => MODALS.has(text));
}
