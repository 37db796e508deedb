import { Word } from './words.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(' '));

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
/** Nouns that look so. */
const NOUNS = list(
  'ofen kuchen braten boden garten magen rucken regen wagen laden schinken hafen faden graben drachen balken knochen lappen reifen rasen backofen schweinebraten besen spaten schatten',
);
/** With these it ends in a participle: `wer hat die erfunden`. */
const AUXILIARIES = list('hat haben hatte hatten wurde wurden wird werden');
const PARTICIPLE = /(?:en|ern|eln|t)$/;
/** Between these and the last word there is no noun either: `warum ist der rund`, `ist der giftig`. */
const COPULAS = list('ist sind war waren wird werden bleibt bleiben');
const REASONS = list('warum wieso weshalb');
/** Begin questions without a mark, besides what {@link VERBS} has: `hält der bis morgen`. */
const ASKING = list(
  'halt halten dauert frieren friert gehort gehoren braucht brauchen reicht reichen hilft schadet wachst wachsen lebt leben beisst beissen legt legen kostet passt gibt essen isst stimmt klappt',
);

/** Begin a question within a sentence, with a verb behind them, and maybe a word that says what is measured. */
const QUESTION_WORDS = list(
  'was wie wo wann warum wieso weshalb wer wen wem welche welcher welches welchen womit woran wohin',
);
const MEASURES = list('lang lange viel viele oft weit heiss gross hoch alt schnell gut teuer spat schwer genau');
const OWN_VERBS = list(
  'mach mache mach machst koch koche nehm nehme tu tue sag sage schreib schreibe zieh ziehe schenk schenke back backe bekomme finde gibt gebe konnte konnten wurdest meinst',
);

/** Whether a question without a mark begins within a sentence: `meine Katze niest was soll ich machen`. */
export function asksBehind(words: readonly Word[]): boolean {
  return words.some(({ text }, at) => {
    if (at < 2 || !QUESTION_WORDS.has(text)) return false;
    const next = words[at + (MEASURES.has(words[at + 1]?.text ?? '') ? 2 : 1)]?.text ?? '';
    return VERBS.has(next) || MODALS.has(next) || ASKING.has(next) || OWN_VERBS.has(next);
  });
}

/** Where an article stands that has no noun, `-1` if none does. */
export function aloneIn(words: readonly Word[]): number {
  return words.findIndex((_, index) => standsAlone(words, index));
}

/** Whether words ask by a verb and such an article behind it: `frieren die nicht`. */
export function asksOfLast(words: readonly Word[]): boolean {
  const [first, second] = words;
  return (
    second !== undefined &&
    (VERBS.has(first!.text) || ASKING.has(first!.text)) &&
    ARTICLES.has(second.text) &&
    standsAlone(words, 1)
  );
}

/** Whether a German article has no noun. */
function standsAlone(words: readonly Word[], at: number): boolean {
  if (!ARTICLES.has(words[at]!.text)) return false;
  const next = words[at + 1];
  if (at === 0) return next !== undefined && VERBS.has(next.text);
  // "…, die …" begins a clause.
  if (words[at - 1]!.clause !== words[at]!.clause) return false;
  if (!next || next.clause !== words[at]!.clause || NO_NOUNS.has(next.text)) return true;
  if (at + 2 !== words.length) return false;
  const before = words.slice(0, at).map(({ text }) => text);
  const isFirst = at === 1 || (at === 2 && REASONS.has(before[0]!));
  return (
    (INFINITIVE.test(next.text) && !NOUNS.has(next.text) && before.some((text) => MODALS.has(text))) ||
    (PARTICIPLE.test(next.text) && AUXILIARIES.has(before.at(-1)!)) ||
    (isFirst && COPULAS.has(before.at(-1)!))
  );
}
