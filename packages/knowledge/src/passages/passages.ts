import { languageOf } from '../text/languages.js';
import type { Block } from './blocks.js';

/** Part of a document: up to 250 words, with the headings that it stands under. */
export interface Passage {
  /** Without markup; the headings of a longer path are joined by ` › `. Without any the title; empty if there is none. */
  readonly heading: string;
  /** The title that the document gives itself: its words count for all passages. */
  readonly title?: string;
  readonly text: string;
  /** Code of the language that it is searched in. */
  readonly language: string;
}

const MIN_WORDS = 50;
/** A shorter section with a heading of its own, such as an answer under its question, is not joined with others. */
const MIN_OWN_WORDS = 12;
const MAX_WORDS = 250;
/** A section that is longer is split into parts of about this size. */
const PART_WORDS = 180;
const MAX_HEADING = 300;
/** Characters of a word that counts as one. */
const LONG_WORD = 40;
const CHARACTERS_OF_WORD = 1.5;
/** After the first of the spaces that follow a sentence, or at once if its script has none. */
const SENTENCE_END = /(?<=[.!?…।؟]\s)|(?<=[.!?…।؟]["'”»)]\s)|(?<=[。！？])/u;
/** No sentence ends at them; rather two sentences are one than half of one is quoted. */
const ABBREVIATIONS =
  'dr|dra|dres|prof|profa|mr|mrs|ms|messrs|st|sr|sra|sres|sras|srta|vs|cf|viz|gen|capt|rev|hon|approx|dept|hrn?|frl|dipl|ing|' +
  'bzw|vgl|bspw|insb|sog|ca|evtl|ggf|inkl|exkl|zzgl|geb|mme|mlle|mgr|env|uds?|aprox|avda?|lic|arq|[ei]xm[oa]|máx|mín|डॉ|प्रो|पं|सुश्री';
const BEFORE_NUMBERS = 'nos?|nr|núm|nº|vol|figs?|pp|págs?|ch|chap|sec|art|arts|abs|kap|abb|tab|tel|tél|abt|رقم|रु|सं|पृ';
/** Initials as in "z. B." or "e.g.", and the numbers of a list or of a German date. */
const INITIALS = String.raw`(?:\p{L}\p{M}*\.)*\p{L}\p{M}*|\p{L}\.\p{L}{2}|p\. ex|^\s*\d{1,3}|(?:am|vom|zum|bis|de[mnrs]|die|das)\s\d{1,2}`;
const GOES_ON = new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])(?:${INITIALS}|${ABBREVIATIONS})\.[^\S\n]$`, 'iu');
const GOES_ON_BEFORE_NUMBER = new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])(?:${BEFORE_NUMBERS})\.[^\S\n]$`, 'iu');
/** What is looked at of a sentence, in characters. */
const ENDING = 30;

/** The sentences of a text; joined they are the text. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const part of text.split(SENTENCE_END)) {
    const ending = sentences.at(-1)?.slice(-ENDING) ?? '';
    if (GOES_ON.test(ending) || (/^\d/.test(part) && GOES_ON_BEFORE_NUMBER.test(ending)))
      sentences[sentences.length - 1] += part;
    else sentences.push(part);
  }
  return sentences;
}

/** The number of words; a very long one counts as several, and in scripts without spaces one has 1.5 characters. */
export function countWords(text: string): number {
  let [words, unspaced] = [0, 0];
  for (const [word] of text.matchAll(/\S+/g)) {
    const own = word.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0;
    unspaced += own;
    words += Math.ceil((word.length - own) / LONG_WORD);
  }
  return words + Math.ceil(unspaced / CHARACTERS_OF_WORD);
}

interface Section {
  path: readonly string[];
  parts: string[];
  words: number;
}

/** Splits a document by its headings; short sections are joined with the next, long ones are split between sentences. */
export function passagesOf(blocks: readonly Block[], title = ''): Passage[] {
  const sections = sectionsOf(blocks).flatMap(splitSection);
  const passages: Passage[] = [];
  let open: Section | undefined;
  for (const section of sections) {
    if (open && isJoined(open, section)) open = joined(open, section);
    else {
      if (open) passages.push(passageOf(open, title));
      open = section;
    }
  }
  if (open) passages.push(passageOf(open, title));
  return passages;
}

function sectionsOf(blocks: readonly Block[]): Section[] {
  const sections: Section[] = [];
  const path: { text: string; level: number }[] = [];
  let section: Section | undefined;
  for (const { text, level } of blocks) {
    if (level === undefined) {
      if (!section) sections.push((section = { path: path.map((heading) => heading.text), parts: [], words: 0 }));
      section.parts.push(text);
      section.words += countWords(text);
      continue;
    }
    while (path.length > 0 && path.at(-1)!.level >= level) path.pop();
    path.push({ text, level });
    section = undefined;
  }
  return sections;
}

function splitSection(section: Section): Section[] {
  if (section.words <= MAX_WORDS) return [section];
  const all: Section[] = [];
  for (const part of section.parts) {
    const pieces = countWords(part) <= MAX_WORDS ? [part] : sentencesOf(part).flatMap(splitSentence);
    pieces.forEach((piece, index) => {
      const words = countWords(piece);
      const last = all.at(-1);
      if (!last || last.words >= PART_WORDS || last.words + words > MAX_WORDS)
        return all.push({ path: section.path, parts: [piece], words });
      last.words += words;
      // The sentences of a paragraph stay one.
      if (index > 0) last.parts.push(`${last.parts.pop()}${piece}`);
      else last.parts.push(piece);
    });
  }
  return all;
}

/** A sentence without end, as in a table or in data. */
function splitSentence(sentence: string): string[] {
  if (countWords(sentence) <= MAX_WORDS) return [sentence];
  const parts = [''];
  for (const [word] of sentence.matchAll(/\S{1,100}\s*/g)) {
    if (countWords(parts.at(-1)!) >= PART_WORDS / 2) parts.push('');
    parts[parts.length - 1] += word;
  }
  return parts;
}

function isJoined(first: Section, second: Section): boolean {
  const isShort = first.words < (first.path.join() === second.path.join() ? MIN_WORDS : MIN_OWN_WORDS);
  return isShort && first.words + second.words <= MAX_WORDS;
}

/** Under the heading that both stand under; the own heading of each becomes part of the text. */
function joined(first: Section, second: Section): Section {
  let common = 0;
  while (common < first.path.length && first.path[common] === second.path[common]) common++;
  const path = first.path.slice(0, common);
  const own = ({ path: all }: Section) =>
    all.slice(common).map((heading) => (/\p{P}$/u.test(heading) ? heading : `${heading}:`));
  const parts = [...own(first), ...first.parts, ...own(second), ...second.parts];
  return { path, parts, words: first.words + second.words };
}

function passageOf({ path, parts }: Section, named: string): Passage {
  const [title, heading] = [named, path.join(' › ') || named].map((one) => one.slice(0, MAX_HEADING).toWellFormed());
  const text = parts
    .map((part) => part.trim())
    .join('\n')
    .toWellFormed();
  return { heading: heading!, ...(title && { title }), text, language: languageOf(`${heading} ${text}`) };
}
