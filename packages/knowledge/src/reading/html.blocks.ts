import { Parser } from 'htmlparser2';
import type { Block, Blocks } from '../passages/blocks.js';

/** What readers of a page do not see, or what is not about its subject. */
const SKIPPED = new Set('script style template noscript svg math iframe object nav form button select head'.split(' '));
const INLINE =
  /^(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|img|input|ins|kbd|label|mark|q|ruby|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)$/;
const CELLS = new Set(['td', 'th', 'dt']);
const VOID = new Set('area base col embed hr img input link meta source track wbr br'.split(' '));

/** The text of a page, without scripts, styles and navigation. Nothing that it refers to is loaded. */
export function htmlBlocks(html: string): Blocks {
  const blocks: Block[] = [];
  let [title, text] = ['', ''];
  let skipped = 0;
  let isTitle = false;
  let level: number | undefined;
  const flush = () => {
    const spaced = text.replaceAll(/\s+/g, ' ');
    let end = spaced.length;
    while (end > 0 && ' |'.includes(spaced[end - 1]!)) end--;
    const line = spaced.slice(0, end).trim();
    if (line) blocks.push(level === undefined ? { text: line } : { text: line, level });
    text = '';
  };
  const parser = new Parser({
    onopentag(name, { hidden, 'aria-hidden': ariaHidden }) {
      if (name === 'title') isTitle = true;
      const isHidden = skipped > 0 || hidden !== undefined || ariaHidden === 'true';
      if (SKIPPED.has(name) || (isHidden && !VOID.has(name))) skipped++;
      if (skipped > 0 || INLINE.test(name) || CELLS.has(name)) return;
      flush();
      if (/^h[1-6]$/.test(name)) level = Number(name[1]);
    },
    ontext(part) {
      if (isTitle) title += part;
      else if (skipped === 0) text += part;
    },
    onclosetag(name) {
      if (name === 'title') isTitle = false;
      if (skipped > 0) {
        if (!VOID.has(name)) skipped--;
        return;
      }
      if (CELLS.has(name)) text += name === 'dt' ? ': ' : ' | ';
      else if (!INLINE.test(name)) {
        flush();
        if (/^h[1-6]$/.test(name)) level = undefined;
      }
    },
  });
  parser.write(html);
  parser.end();
  flush();
  title = title.replaceAll(/\s+/g, ' ').trim();
  return title ? { title, blocks } : { blocks };
}
