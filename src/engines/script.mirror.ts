import { Reply } from './script.choose.js';
import { MOODS } from './script.mood.js';
import { FIRST_NAMES } from './script.names.js';
import { Sentence } from './script.sentences.js';
import { contentOf } from './script.terms.js';
import { Turn } from './script.turn.js';

/** How a language says of the one it speaks to what that one said of themselves. */
interface Mirror {
  /** Words that become others. Of two in a row the pair goes first: `i was` as `you were`. */
  readonly words: ReadonlyMap<string, string>;
  /** Words that are left out at the beginning and at the end. */
  readonly openers: ReadonlySet<string>;
  readonly closers: ReadonlySet<string>;
  /** With these a statement begins that leaves out who it is about: `got home late`; with what is put before. */
  readonly elliptical: ReadonlyMap<string, string>;
  /** A statement whose first word ends so, `making soup`, and what is put before. */
  readonly ending: string;
  /** Words that end so and are none. */
  readonly others: ReadonlySet<string>;
  readonly goes: string;
  /** Words whose statements cannot be said back. */
  readonly unless: ReadonlySet<string>;
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const table = (pairs: string): ReadonlyMap<string, string> =>
  new Map(pairs.split(', ').map((pair) => pair.split('=') as [string, string]));

const MIRRORS: Readonly<Record<string, Mirror>> = {
  en: {
    words: table(
      "i=you, i'm=you're, im=you're, i've=you've, ive=you've, i'd=you'd, i'll=you'll, am=are, my=your, mine=yours, me=you, myself=yourself, " +
        "we=you, we're=you're, we've=you've, we'd=you'd, we'll=you'll, our=your, ours=yours, us=you, ourselves=yourselves, " +
        "i was=you were, i wasn't=you weren't, i wasnt=you weren't, tmrw=tomorrow, tmr=tomorrow, bc=because, cos=because, cuz=because, rly=really, " +
        "gonna=going to, wanna=want to, gotta=have to, dont=don't, doesnt=doesn't, didnt=didn't, cant=can't, wont=won't, isnt=isn't, wasnt=wasn't, " +
        "havent=haven't, couldnt=couldn't, wouldnt=wouldn't, shes=she's, hes=he's, theyre=they're, thats=that's, theres=there's, ppl=people, prob=probably",
    ),
    openers: list(
      'hiya heya hii yo evening morning thanks thank cheers ok okay yeah yes yep no nah well so but and also oh ah hey hi hello haha lol hmm um actually anyway honestly because cool great nice btw guess then like ugh',
    ),
    closers: list(
      'thanks thx cheers ty please bye btw lol haha tbh though tho btw rn really either too then anyway haha ok x right now yet man mate',
    ),
    elliptical: table(
      "got=you, just=you, went=you, had=you, finally=you, still=you, need=you, want=you, love=you, hate=you, can't=you, cant=you, don't=you, dont=you, " +
        "didn't=you, didnt=you, couldn't=you, never=you, made=you, bought=you, met=you, lost=you, found=you, forgot=you, tried=you, used=you, miss=you, " +
        "failed=you, passed=you, burned=you, burnt=you, broke=you, started=you, thought=you, been=you've",
    ),
    ending: 'ing',
    others: list(
      'something anything everything nothing morning evening during wedding according thing things king string spring amazing interesting boring exciting',
    ),
    goes: "you're",
    unless: list('you your yours yourself u ur what why how which whether please if'),
  },
};
const LEAST_WORDS = 3;
const LEAST_GOING = 4;
const MOST_WORDS = 17;
const MOST_CHARACTERS = 110;
/** Of these it says too little what they are about: `that's hard`, `it's not fair`. */
const POINTS =
  /^(?:thats?|this|these|those|dunno)\b|^it(?:['’]?s| is| was| does| did| sounds| seems| looks| feels| would| will)\b/iu;
/** Nothing but plain words and the marks between them. */
const PLAIN = /^[\p{L}\p{N}\s'’,.%£$€:-]+$/u;
/** "My …" begins with a small letter behind other words, a name does not. */
const BEGINS_SMALL = list(
  'my our the it he she they his her their today everyone everybody nobody someone yesterday i we nothing there im ive ill id',
);
const SAYS_SELF = /^(?:i|we|my|our)\b|^(?:i|we)['’]/iu;

/** A statement as the avatar says it back: `I teach at a school` as `you teach at a school`. */
export function mirrored({ talk, said }: Turn, { text, asks, terms }: Sentence): string | undefined {
  const mirror = MIRRORS[talk.terms.language.slice(0, 2)];
  if (!mirror || asks || contentOf(terms).length === 0) return undefined;
  const name = said.avatar.name.toLowerCase();
  const spoken = withoutMarks(text, ' .!,:)(').split(/\s+/u);
  const words = withoutEnds(spoken, mirror, name);
  const first = plain(words[0]);
  const before = mirror.elliptical.get(first) ?? (isGoing(first, mirror) ? mirror.goes : undefined);
  const tells = terms.shape?.tells === true || FIRST_NAMES.has(first) || SAYS_SELF.test(words.join(' '));
  if (words.length + (before ? 1 : 0) < LEAST_WORDS || words.length > MOST_WORDS) return undefined;
  if ((!tells && !before) || POINTS.test(words.join(' '))) return undefined;
  if (words.some((word) => mirror.unless.has(plain(word)))) return undefined;
  const other = [...(before ? [before] : []), ...swapped(words, mirror)].join(' ');
  if (other.length > MOST_CHARACTERS || !PLAIN.test(other)) return undefined;
  return before || !BEGINS_SMALL.has(plain(words[0]).split("'")[0]!) ? other : other[0]!.toLowerCase() + other.slice(1);
}

/** A reply that says a statement back, to show that it was heard. */
export function mirrorReply(turn: Turn, sentence: Sentence, name = 'mirrored'): Reply | undefined {
  const said = mirrored(turn, sentence);
  if (said === undefined) return undefined;
  const lately = turn.said.history.slice(-4).map(({ answer }) => answer);
  // "How is that for you?" is for what somebody feels.
  const texts = turn.talk.replies(name === 'mirrored' && isFelt(turn, sentence) ? 'mirrored_mood' : name);
  const fresh = texts.filter((text) => !lately.some((answer) => answer.endsWith(text.split('}').at(-1)!)));
  const text = (fresh.length > 0 ? fresh : texts)[turn.seed % Math.max(1, (fresh.length > 0 ? fresh : texts).length)];
  return text === undefined ? undefined : { id: name, answer: withSaid(text, said), isAnswered: true };
}

function isFelt({ talk }: Turn, { words, text }: Sentence): boolean {
  return MOODS.some((mood) => talk.set(`mood_${mood}`).best(words, text) !== undefined);
}

export function withSaid(text: string, said: string): string {
  return text
    .replace('{said}', () => said)
    .replace('{Said}', () => said.replace(/^./u, (letter) => letter.toUpperCase()));
}

function withoutEnds(words: readonly string[], { openers, closers }: Mirror, name: string): string[] {
  const isOpener = (word: string) => openers.has(word) || word === name;
  let from = 0;
  let to = words.length;
  while (from < to - 1 && isOpener(plain(words[from]))) from++;
  while (to - 1 > from && closers.has(plain(words[to - 1]))) to--;
  const rest = words.slice(from, to);
  return rest.map((word, index) => (index === rest.length - 1 ? withoutMarks(word, ',;:') : word));
}

function swapped(words: readonly string[], { words: pairs }: Mirror): string[] {
  const said: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const both = pairs.get(`${plain(word)} ${plain(words[index + 1])}`);
    if (both) {
      said.push(both + markBehind(words[++index]!));
      continue;
    }
    const other = pairs.get(plain(word));
    said.push(other === undefined ? word : other + markBehind(word));
  }
  return said;
}

function isGoing(word: string, { ending, others }: Mirror): boolean {
  return word.length > LEAST_GOING && word.endsWith(ending) && !others.has(word);
}

function markBehind(word: string): string {
  return word.slice(withoutMarks(word, ',.:').length);
}

function plain(word = ''): string {
  return withoutMarks(word.toLowerCase().replaceAll('’', "'"), ',.:!');
}

/** A text without such characters at its end. */
function withoutMarks(text: string, marks: string): string {
  let end = text.length;
  while (end > 0 && marks.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
