import * as smd from 'streaming-markdown';
import { h } from './dom.js';

const LINK = /^(https?:\/\/|mailto:|tel:)/i;
const CODE = /(```[^]*?(?:```|$)|`[^`\n]*`)/;
/** Link targets and bare URLs. */
const ADDRESS = /(\]\([^()\s]*\)|https?:\/\/[^\s<>]+)/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};

/** The elements for tokens; a token without one becomes text. No headings: they would join the outline of the host page. */
const ELEMENTS = new Map<number, keyof HTMLElementTagNameMap>([
  [smd.PARAGRAPH, 'p'],
  [smd.HEADING_1, 'strong'],
  [smd.HEADING_2, 'strong'],
  [smd.HEADING_3, 'strong'],
  [smd.HEADING_4, 'strong'],
  [smd.HEADING_5, 'strong'],
  [smd.HEADING_6, 'strong'],
  [smd.ITALIC_AST, 'em'],
  [smd.ITALIC_UND, 'em'],
  [smd.STRONG_AST, 'strong'],
  [smd.STRONG_UND, 'strong'],
  [smd.STRIKE, 'del'],
  [smd.CODE_INLINE, 'code'],
  [smd.CODE_BLOCK, 'pre'],
  [smd.CODE_FENCE, 'pre'],
  [smd.LINK, 'a'],
  [smd.RAW_URL, 'a'],
  [smd.IMAGE, 'a'],
  [smd.BLOCKQUOTE, 'blockquote'],
  [smd.LIST_UNORDERED, 'ul'],
  [smd.LIST_ORDERED, 'ol'],
  [smd.LIST_ITEM, 'li'],
  [smd.TABLE, 'table'],
  [smd.TABLE_ROW, 'tr'],
  [smd.TABLE_CELL, 'td'],
  [smd.LINE_BREAK, 'br'],
  [smd.RULE, 'hr'],
]);
const SPACED = /^(P|LI|PRE|TD|STRONG|BR|BLOCKQUOTE)$/;

/**
 * Renders Markdown, complete or still streaming: lists, emphasis, code, tables, and external links. Creates
 * elements one by one, never from markup, so that nothing in the text can run or load: HTML is dropped, and an image
 * becomes a link.
 */
export function markdown(text: string): Node[] {
  const root = h('div');
  const path: Node[] = [root];
  const parser = smd.parser({
    data: undefined,
    add_token(_, token) {
      const tag = ELEMENTS.get(token);
      const element = tag ? h(tag) : h('span');
      if (token === smd.CHECKBOX) element.append('☐');
      path.at(-1)!.appendChild(element);
      path.push(element);
    },
    end_token() {
      const ended = path.pop()!;
      // Remove links without a target or with an unsafe one.
      if (ended instanceof HTMLAnchorElement && !ended.hasAttribute('href')) ended.replaceWith(...ended.childNodes);
    },
    add_text: (_, part) => void path.at(-1)!.appendChild(new Text(part)),
    set_attr(_, name, value) {
      const element = path.at(-1)!;
      if (element instanceof HTMLOListElement && name === smd.START) element.start = Number(value) || 1;
      if (element instanceof HTMLSpanElement && name === smd.CHECKED) element.textContent = '☑';
      if (element instanceof HTMLAnchorElement && LINK.test(value))
        Object.assign(element, { href: value.replace(/[.,;:!?]$/, ''), target: '_blank', rel: 'noopener noreferrer' });
    },
  });
  smd.parser_write(parser, readable(text));
  smd.parser_end(parser);
  return [...root.childNodes];
}

/** The plain text of Markdown, for text-to-speech and screen readers. */
export function plainText(text: string): string {
  const parts: string[] = [];
  const collect = (node: Node): void => {
    if (node instanceof Text) parts.push(node.data);
    node.childNodes.forEach(collect);
    if (SPACED.test(node.nodeName)) parts.push(' ');
  };
  markdown(text).forEach(collect);
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** Outside code, escapes HTML and entities; outside URLs, escapes underscores within words. */
function readable(text: string): string {
  return outside(CODE, text, (part) =>
    outside(ADDRESS, withoutHtml(part), (words) => words.replace(/(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])/gu, '\\_')),
  );
}

function withoutHtml(text: string): string {
  return (
    text
      .replace(/<(https?:\/\/[^\s<>]+)>/gi, '$1 ')
      .replace(/<(?:script|style)\b[^]*?(?:<\/(?:script|style)>|$)/gi, '')
      .replace(/<\/?[a-z][^<>]*>|<!--[^<>]*-->/gi, '')
      .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!)
      // The parser ends a URL at its first parenthesis.
      .replace(/\]\(([^()\s]*)\(([^()\s]*)\)([^()\s]*)\)/g, ']($1%28$2%29$3)')
  );
}

/** @param pattern with a single group, so that `split` keeps the matches */
function outside(pattern: RegExp, text: string, change: (part: string) => string): string {
  return text
    .split(pattern)
    .map((part, index) => (index % 2 ? part : change(part)))
    .join('');
}
