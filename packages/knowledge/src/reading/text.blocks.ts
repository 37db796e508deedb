import { marked } from 'marked';
import type { Blocks } from '../passages/blocks.js';
import { htmlBlocks } from './html.blocks.js';

/** Whether a text is a short line of its own that is no sentence. */
function isHeadingLine(text: string): boolean {
  const characters = Array.from(text.slice(0, 200));
  const isShort = text.length <= 200 && characters.length >= 2 && characters.length <= 80 && !text.includes('\n');
  return isShort && !/[-*•]/.test(characters[0]!) && !/[.,;:!?。]/.test(characters.at(-1)!);
}

/** Plain text: paragraphs are separated by empty lines; a short line that is followed by one is a heading. */
export function textBlocks(text: string): Blocks {
  const paragraphs = text.split(/\n[^\S\n]*\n\s*/).filter((paragraph) => paragraph.trim());
  const blocks = paragraphs.map((paragraph, index) => {
    const isHeading = index < paragraphs.length - 1 && isHeadingLine(paragraph.trim());
    const line = linesOf(paragraph).join(' ');
    return isHeading ? { text: line, level: 1 } : { text: line };
  });
  return { blocks };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Markdown, with or without HTML in it. Its first heading is its title if no other has that level. */
export function markdownBlocks(text: string): Blocks {
  const source = text.replace(/^\uFEFF?---\n[^]*?\n---\n/, '');
  const { blocks } = htmlBlocks(marked.parse(source, { async: false, gfm: true }));
  const [first, ...others] = blocks;
  return first?.level === 1 && !others.some(({ level }) => level === 1)
    ? { title: first.text, blocks: others }
    : { blocks };
}
