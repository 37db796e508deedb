import { type Rule, rulesOf } from './readings.js';
import { firstSentences } from './sentences.js';

/** Maximum length of a speech in characters, about five minutes. */
export const SPOKEN_LIMIT = 4000;

/** How words are to be read, by how they are written. */
export type Pronunciations = Readonly<Record<string, string>>;

/** A text as it is spoken, mapped to its source. */
export interface SpokenText {
  readonly text: string;
  /** For each UTF-16 unit of `text`, its index in the original. */
  readonly positions: readonly number[];
}

/**
 * Placeholder for dropped characters, so that all others keep their positions. Not in the classes that become spaces.
 */
const OMITTED = '\uffff';

/** Words in angle brackets that are not elements, such as "<Enter>" or "List<String>", are text; as the widget shows it. */
const ELEMENTS = new Set(
  (
    'a abbr acronym address applet area article aside audio b base basefont bdi bdo big blockquote body br button canvas ' +
    'caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption ' +
    'figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label ' +
    'legend li link main map mark menu meta meter nav noscript object ol optgroup option output p param picture pre progress ' +
    'q rp rt ruby s samp script search section select slot small source span strike strong style sub summary sup svg table ' +
    'tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr'
  ).split(' '),
);
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Marks of code, and of what is never shown, and tags. */
const MARKUP = /`+|<!--|-->|<\/?[a-z][^<>]{0,1000}>/gi;
/** Characters of code between its marks, and of a comment, a script or a style sheet. */
const LONGEST = { code: 300, hidden: 1000 };
/** Attributes without a value; of others, "a <b and c> d" is text. */
const FLAGS = new Set(
  'async autoplay checked controls defer disabled hidden loop muted open readonly required reversed selected'.split(
    ' ',
  ),
);
const FORMULA = /\$\$[^$]{0,2000}\$\$|\\\[[^[\]]{0,2000}\\\]/g;
const ARROWS = /[\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f\u2b00-\u2bff]|[-=]{1,3}>|<[-=]{1,3}|\$\$/gu;
/** "[1]", "[2, 3]", "[^1]", "【4†source】". */
const CITATIONS = /\[\^?\d[\d, –-]{0,20}\]|【\d[^【】]{0,40}】/g;
/** The target of a link, which may hold parentheses. */
const TARGET = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?: "[^"]{0,200}")?\)/g;
/** Ends a URL: scripts without spaces between words, and punctuation that URLs encode. */
const NO_URL = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}<>"`{}|\\^]|[^\x20-\x7e\p{L}\p{M}\p{N}]/u;

/**
 * An answer as it should be spoken: without URLs, citation marks, code blocks, formulas, images and Markdown syntax, and truncated after a sentence if it is
 * too long.
 */
export function spokenText(text: string, pronounce?: Pronunciations): string {
  return spokenFrom(text, pronounce).text;
}

/** {@link spokenText} with the source position of each character. */
export function spokenFrom(text: string, pronounce: Pronunciations = {}, language?: string): SpokenText {
  const blank = (part: string) => ' '.repeat(part.length);
  const omit = (part: string) => OMITTED.repeat(part.length);
  const plainer = withoutCode(text.slice(0, 4 * SPOKEN_LIMIT))
    .replace(FORMULA, blank)
    .replace(TARGET, omit)
    .replace(CITATIONS, omit);
  const masked = withoutMarkup(plainer)
    .replace(/(?:\bhttps?:\/\/|\bwww\.)\S+/gi, (part) => {
      const length = urlLength(part);
      return blank(part.slice(0, length)) + part.slice(length);
    })
    .replace(ARROWS, blank)
    .replace(/[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1f3fb}-\u{1f3ff}\u200d\ufe0f\u20e3]/gu, blank)
    .replace(/[\p{Cc}\p{Co}\p{Cs}]+/gu, blank)
    // Double brackets would start phoneme codes.
    .replace(/[*_`#|~<>[\]{}\\^]+/g, blank)
    .replace(/\s/g, ' ');
  const positions: number[] = [];
  const kept: string[] = [];
  for (let at = 0; at < masked.length; at++) {
    const unit = masked[at]!;
    if (unit === OMITTED || (unit === ' ' && (kept.at(-1) ?? ' ') === ' ')) continue;
    kept.push(unit);
    positions.push(at);
  }
  const plain = kept.join('').trimEnd();
  if (!/[\p{L}\p{N}]/u.test(plain)) return { text: '', positions: [] };
  const spoken = plain.length <= SPOKEN_LIMIT ? plain : firstSentences(plain, SPOKEN_LIMIT, language);
  const said = pronounced({ text: spoken, positions: positions.slice(0, spoken.length) }, pronounce);
  return language === undefined ? said : written(said, language);
}

/** With numbers, dates, units and abbreviations as they are read. */
function written(source: SpokenText, language: string): SpokenText {
  const text = source.text.replace(/[٠-٩०-९]/gu, (digit) => String((digit.charCodeAt(0) & 15) - (digit > '٩' ? 6 : 0)));
  return rulesOf(language).reduce<SpokenText>((said, [pattern, say]) => replaced(said, pattern, say), {
    ...source,
    text,
  });
}

/** With whole words replaced. */
function pronounced({ text, positions }: SpokenText, pronounce: Pronunciations): SpokenText {
  const words = Object.keys(pronounce).sort((one, other) => other.length - one.length);
  if (words.length === 0) return { text, positions };
  const any = words.map((word) => word.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${any})(?![\\p{L}\\p{M}\\p{N}])`, 'gu');
  return replaced({ text, positions }, pattern, ([word]) => pronounce[word]!);
}

/** Each replacement is spread over the positions of what it stands for. */
function replaced({ text, positions }: SpokenText, ...[pattern, say]: Rule): SpokenText {
  const parts: string[] = [];
  const places: number[] = [];
  let end = 0;
  let extra = 0;
  for (const match of text.matchAll(pattern)) {
    const said = say(match);
    const { 0: found, index } = match;
    if (said === undefined) continue;
    if ((extra += said.length) > SPOKEN_LIMIT) break;
    parts.push(text.slice(end, index), said);
    places.push(...positions.slice(end, index));
    for (let at = 0; at < said.length; at++)
      places.push(positions[index + Math.floor((at * found.length) / said.length)]!);
    end = index + found.length;
  }
  return { text: parts.join('') + text.slice(end), positions: [...places, ...positions.slice(end)] };
}

/** Blanks fenced code blocks, also one that does not end. */
function withoutCode(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text;
  let fence: string | undefined;
  const lines = text.split('\n').map((line) => {
    const mark = /^ {0,3}(?:`{3,}|~{3,})/.exec(line)?.[0].trimStart();
    const isCode = fence !== undefined;
    if (fence === undefined) {
      if (mark !== undefined && !line.slice(line.indexOf(mark) + mark.length).includes('`')) fence = mark;
    } else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    return isCode || fence !== undefined ? ' '.repeat(line.length) : line;
  });
  return lines.join('\n');
}

/** Blanks elements, comments, scripts and style sheets, but not in code between marks. */
function withoutMarkup(text: string): string {
  const marks = [...text.matchAll(MARKUP)];
  const nameOf = ([mark]: RegExpMatchArray) => /^<\/?([a-z][a-z0-9]*)/i.exec(mark)?.[1]?.toLowerCase() ?? '';
  const closed = new Set(marks.filter(([mark]) => mark.startsWith('</')).map(nameOf));
  const next = (from: number, limit: number, isEnd: (mark: RegExpMatchArray) => boolean) => {
    const { index, 0: first } = marks[from]!;
    for (let n = from + 1; n < marks.length && marks[n]!.index <= index + first.length + limit; n++)
      if (isEnd(marks[n]!)) return n;
    return from;
  };
  let shown = '';
  let done = 0;
  for (let n = 0; n < marks.length; n++) {
    const mark = marks[n]!;
    const [start, name] = [mark[0], nameOf(mark)];
    if (start.startsWith('`')) {
      const end = next(n, LONGEST.code, (other) => other[0] === start);
      if (!text.slice(mark.index, marks[end]!.index).includes('\n')) n = end;
      continue;
    }
    const isHidden = name === 'script' || name === 'style';
    if (start === '<!--') n = next(n, LONGEST.hidden, ([other]) => other === '-->');
    else if (isHidden && !start.startsWith('</'))
      n = next(n, LONGEST.hidden, (other) => other[0].startsWith('</') && nameOf(other) === name);
    const isWhole = marks[n] !== mark;
    if (!isWhole && !isElement(start, text[mark.index - 1] ?? '', closed)) continue;
    const end = marks[n]!.index + marks[n]![0].length;
    shown += text.slice(done, mark.index) + ' '.repeat(end - mark.index);
    done = end;
  }
  return shown + text.slice(done);
}

/** @param before the character before it */
function isElement(tag: string, before: string, closed: ReadonlySet<string>): boolean {
  const [written = '', ...words] = tag
    .replace(/^<\/?|\/?>$/g, '')
    .replace(/"[^"]*"|'[^']*'/g, '')
    .split(/\s+/);
  const name = written.toLowerCase();
  // Not `<Button>`, which is a component or a key.
  if (!ELEMENTS.has(name) || ![name, name.toUpperCase()].includes(written)) return false;
  const isAttribute = (word: string) => word === '' || word.includes('=') || FLAGS.has(word.toLowerCase());
  if (!words.every(isAttribute)) return false;
  // As in `List<object>`.
  const isTypeArgument = !tag.startsWith('</') && !VOID.has(name) && !closed.has(name) && /[\p{L}\p{N}_]/u.test(before);
  return !isTypeArgument;
}

/** How much of some text without spaces is a URL: not the punctuation after it, nor brackets that were opened before. */
function urlLength(text: string): number {
  const stop = text.search(NO_URL);
  let length = 0;
  let open = 0;
  for (let at = 0; at < (stop < 0 ? text.length : stop); at++) {
    const unit = text[at]!;
    if (unit === '(') open++;
    if (unit === ')' && --open < 0) break;
    if (!".,;:!?'*_~(".includes(unit)) length = at + 1;
  }
  return length;
}
