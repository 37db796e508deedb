import { marked } from 'marked';
import type { Blocks } from '../passages/blocks.js';
import { htmlBlocks } from './html.blocks.js';

/** A short line of its own that is no sentence. */
const HEADING = /^(?![-*•])\S.{0,78}[^\s.,;:!?。]$/u;

/** Plain text: paragraphs are separated by empty lines; a short line that is followed by one is a heading. */
export function textBlocks(text: string): Blocks {
  const paragraphs = text.split(/\n[^\S\n]*\n\s*/).filter((paragraph) => paragraph.trim());
  const blocks = paragraphs.map((paragraph, index) => {
    const isHeading = index < paragraphs.length - 1 && HEADING.test(paragraph.trim());
    const line = paragraph.replaceAll(/\s*\n\s*/g, ' ').trim();
    return isHeading ? { text: line, level: 1 } : { text: line };
  });
  return { blocks };
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
