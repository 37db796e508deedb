import * as smd from 'streaming-markdown';
import { h } from '../core/dom.js';
import { dropTags } from './html-tags.js';
import { replaceUrls } from './links.js';

/** Elements nested more deeply are not created; their text is shown in the innermost one. */
const MAX_DEPTH = 10;

const LINK = /^(https?:\/\/|mailto:|tel:)/i;
const CODE = /(```[^]*?(?:```|$)|`[^`\n]*`)/;
const LINK_TARGET = /(\]\([^()\s]*\))/;
/** The start of a link, or a checkbox. The parser would drop other brackets. */
const BRACKETS = /(\[[^[\]\n]*\]\(|^[ \t]*(?:[-+*]|\d+[.)]) \[[ x]\] )/m;
const EMAIL = /<(?:mailto:)?([\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)>/g;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};

/** They enclose a bare URL in what the parser reads. */
const URL_START = '\uE001';
const URL_END = '\uE002';
const MARKS = /[\uE001\uE002]/g;
/** ASCII characters that the parser must not interpret are moved here. */
const LITERAL = 0xe100;

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
const SPACED = /^(P|LI|PRE|T[DH]|STRONG|BR|BLOCKQUOTE)$/;

/**
 * Renders Markdown, complete or still streaming: lists, emphasis, code, tables, and external links. Creates
 * elements one by one, never from markup, so that nothing in the text can run or load: HTML is dropped, and an image
 * becomes a link.
 */
export function markdown(text: string): Node[] {
  const root = h('div');
  const path: Node[] = [root];
  /** Whether the innermost token has no element of its own. */
  const isMerged = () => path.at(-1) === path.at(-2);
  const parser = smd.parser({
    data: undefined,
    add_token(_, token) {
      const parent = path.at(-1)!;
      const tag = ELEMENTS.get(token) ?? 'span';
      if (path.length > MAX_DEPTH || (tag === 'a' && path.some(isLink))) {
        if (SPACED.test(tag.toUpperCase()) && parent.lastChild instanceof Text) parent.appendChild(h('br'));
        path.push(parent);
        return;
      }
      const element = h(tag === 'td' && parent.parentNode?.firstChild === parent ? 'th' : tag);
      if (token === smd.CHECKBOX) element.append('☐');
      // A wide table can be scrolled.
      parent.appendChild(tag === 'table' ? h('div', { class: 'wide', tabIndex: 0 }, element) : element);
      path.push(element);
    },
    end_token() {
      const merged = isMerged();
      const ended = path.pop()!;
      // Remove links without a target or with an unsafe one.
      if (!merged && isLink(ended) && !ended.hasAttribute('href')) ended.replaceWith(...ended.childNodes);
    },
    add_text: (_, part) => void path.at(-1)!.appendChild(new Text(restored(part))),
    set_attr(_, name, value) {
      const element = path.at(-1)!;
      if (isMerged()) return;
      if (element instanceof HTMLOListElement && name === smd.START) element.start = Number(value) || 1;
      if (element instanceof HTMLSpanElement && name === smd.CHECKED) element.textContent = '☑';
      const [target = ''] = restored(value).replace(MARKS, '').trim().split(/\s/);
      if (isLink(element) && LINK.test(target)) pointTo(element, target);
    },
  });
  // The parser's own arrays have 24 levels; beyond them it would lose count.
  parser.tokens = Uint32Array.from({ length: text.length + parser.tokens.length }, (_, at) => parser.tokens[at] ?? 0);
  parser.spaces = new Uint8Array(parser.tokens.length);
  smd.parser_write(parser, readable(text));
  smd.parser_end(parser);
  addLinks(root, false);
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

function isLink(node: Node): node is HTMLAnchorElement {
  return node instanceof HTMLAnchorElement;
}

function pointTo(link: HTMLAnchorElement, href: string): HTMLAnchorElement {
  return Object.assign(link, { href, target: '_blank', rel: 'noopener noreferrer' });
}

/** Turns the marked URLs into links, except within links. */
function addLinks(node: Node, isInLink: boolean): void {
  if (!(node instanceof Text)) {
    node.normalize();
    node.childNodes.forEach((child) => addLinks(child, isInLink || isLink(node)));
  } else if (node.data.includes(URL_START)) {
    const parts = node.data.split(MARKS).map((part, index) => {
      if (index % 2 === 0 || isInLink) return part;
      return pointTo(h('a', {}, part), LINK.test(part) ? part : `mailto:${part}`);
    });
    node.replaceWith(...parts);
  }
}

/** The text as the parser reads it. Outside code: without HTML, and with marked URLs, whose characters are literal. */
function readable(text: string): string {
  return outside(CODE, text.replace(/[\uE001\uE002\uE100-\uE17F]/g, ''), (part) => {
    const shown = dropTags(
      part
        .replace(EMAIL, (_, address: string) => marked(address))
        .replace(/<(https?:\/\/[^\s<>]+)>/gi, (_, url: string) => marked(url)),
    )
      // The parser ends a URL at its first parenthesis.
      .replace(/\]\(([^()\s]*)\(([^()\s]*)\)([^()\s]*)\)/g, ']($1%28$2%29$3)');
    return outside(
      LINK_TARGET,
      outside(BRACKETS, shown, (rest) => rest.replaceAll('[', literal)),
      (words) =>
        replaceUrls(words, marked)
          .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => literal(ENTITIES[name]!))
          .replace(/<(?!br>)|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])/gu, literal),
    );
  });
}

function marked(url: string): string {
  return URL_START + literal(url) + URL_END;
}

function literal(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, (character) => String.fromCharCode(LITERAL + character.charCodeAt(0)));
}

function restored(text: string): string {
  return text.replace(/[\uE100-\uE17F]/g, (character) => String.fromCharCode(character.charCodeAt(0) - LITERAL));
}

/** @param pattern with a single group, so that `split` keeps the matches */
function outside(pattern: RegExp, text: string, change: (part: string) => string): string {
  return text
    .split(pattern)
    .map((part, index) => (index % 2 ? part : change(part)))
    .join('');
}
