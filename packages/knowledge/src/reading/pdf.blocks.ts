import type { Block, Blocks } from '../passages/blocks.js';
import { DocumentError } from './document.error.js';

const MAX_PAGES = 1_000;
/** A line this much larger than most of the text is a heading. */
const HEADING_FACTOR = 1.15;
const MAX_HEADING = 150;
/** In a document of fewer pages, nothing is a running title. */
const MIN_PAGES = 4;
/** Numbers of a line that may be the page's, such as in "v2/handbook.html 3/30". */
const MAX_NUMBERS = 20;

interface Line {
  text: string;
  /** Height of the letters, and position from the bottom of the page, in points. */
  size: number;
  y: number;
}

/** The text of a PDF, with headings by the size of their letters. @throws DocumentError */
export async function pdfBlocks(bytes: Uint8Array): Promise<Blocks> {
  const { getDocumentProxy } = await import('unpdf');
  const pdf = await getDocumentProxy(new Uint8Array(bytes), {
    isEvalSupported: false,
    useSystemFonts: false,
    verbosity: 0,
  }).catch((error: Error) => {
    throw new DocumentError(error.name === 'PasswordException' ? 'is encrypted' : 'is damaged');
  });
  if (pdf.numPages > MAX_PAGES) throw new DocumentError(`has more than ${MAX_PAGES} pages`);
  const pages: Line[][] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    pages.push(linesOf((await page.getTextContent()).items as object[]));
    page.cleanup();
  }
  withoutMargins(pages);
  const lines = pages.flat();
  if (lines.reduce((sum, { text }) => sum + text.length, 0) < 2 * pdf.numPages)
    throw new DocumentError('has no text (a scan has to pass text recognition first)');
  return { blocks: blocksOf(pages) };
}

function linesOf(items: readonly { str?: string; hasEOL?: boolean; height?: number; transform?: number[] }[]): Line[] {
  const lines: Line[] = [];
  let line: Line = { text: '', size: 0, y: 0 };
  for (const { str = '', hasEOL, height = 0, transform } of items) {
    if (str.trim()) line = { text: line.text + str, size: Math.max(line.size, height), y: transform?.[5] ?? line.y };
    else line.text += str;
    if (!hasEOL) continue;
    if (line.text.trim()) lines.push({ ...line, text: line.text.trim() });
    line = { text: '', size: 0, y: line.y };
  }
  if (line.text.trim()) lines.push({ ...line, text: line.text.trim() });
  return lines;
}

/** Leaves out what most pages begin or end with: running titles, and numbers that count the pages. */
function withoutMargins(pages: Line[][]): void {
  if (pages.length < MIN_PAGES) return;
  const body = bodySize(pages.flat());
  for (const edge of [0, 0, -1, -1]) {
    const keys = pages.map((lines, page) => marginKeys(lines.at(edge), page, body));
    const counts = new Map<string, number>();
    for (const key of keys.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
    pages.forEach((lines, page) => {
      if (keys[page]!.some((key) => counts.get(key)! > pages.length / 2)) lines.splice(edge, 1);
    });
  }
}

/** What is the same on each page if a line is a running title, or has the number of the page: not a numbered heading. */
function marginKeys(line: Line | undefined, page: number, body: number): string[] {
  if (!line) return [];
  const { text, size } = line;
  const numbers = size > body * HEADING_FACTOR ? [] : [...text.matchAll(/\d{1,6}/g)].slice(-MAX_NUMBERS);
  const relative = numbers.map(
    ({ 0: found, index }) => `${text.slice(0, index)}#${Number(found) - page}#${text.slice(index + found.length)}`,
  );
  return [...new Set([text, ...relative])];
}

function blocksOf(pages: readonly Line[][]): Block[] {
  const body = bodySize(pages.flat());
  const sizes = [...new Set(pages.flat().map(({ size }) => Math.round(size)))].filter(
    (size) => size > body * HEADING_FACTOR,
  );
  sizes.sort((a, b) => b - a);
  const blocks: { text: string; level?: number }[] = [];
  for (const lines of pages) {
    lines.forEach(({ text, size, y }, index) => {
      const before = lines[index - 1];
      const level =
        size > body * HEADING_FACTOR && text.length <= MAX_HEADING
          ? Math.min(6, 1 + sizes.indexOf(Math.round(size)))
          : undefined;
      const last = blocks.at(-1);
      const isClose = before !== undefined && before.y > y && before.y - y < 1.7 * Math.max(size, before.size);
      // A paragraph may go on across pages.
      const goesOn =
        last && last.level === level && (isClose || (!before && level === undefined && !/[.!?:]$/.test(last.text)));
      if (!goesOn) blocks.push(level === undefined ? { text } : { text, level });
      else
        last.text =
          /\p{Ll}-$/u.test(last.text) && /^\p{Ll}/u.test(text) ? last.text.slice(0, -1) + text : `${last.text} ${text}`;
    });
  }
  return blocks;
}

/** The size that most letters have. */
function bodySize(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { text, size } of lines) letters.set(Math.round(size), (letters.get(Math.round(size)) ?? 0) + text.length);
  return [...letters].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}
