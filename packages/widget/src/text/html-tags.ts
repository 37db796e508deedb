const INLINE =
  'a abbr acronym applet area audio b base basefont bdi bdo big button canvas cite code col colgroup data datalist del dfn ' +
  'em embed font frame frameset i iframe img input ins kbd label link map mark meta meter noscript object optgroup output ' +
  'param picture progress q rp rt ruby s samp script select slot small source span strike strong style sub sup svg template ' +
  'textarea time track tt u var video wbr';
/** Their content is separated from what precedes and follows. */
const BLOCK =
  'address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure footer ' +
  'form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol option p pre search section summary table ' +
  'tbody td tfoot th thead title tr ul';
const VOID = 'area base br col embed hr img input link meta param source track wbr';

const setOf = (names: string) => new Set(names.split(' '));
const inline = setOf(INLINE);
const block = setOf(BLOCK);
const empty = setOf(VOID);

const CANDIDATE = /<[^<>]+>/g;
/** A tag as HTML has it: its attributes have values, or are those that need none. */
const TAG =
  /^<(\/?)([A-Za-z][A-Za-z0-9]*)(?:\s+(?:[A-Za-z_:@][\w:.-]*=(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)|async|autoplay|checked|controls|defer|disabled|hidden|loop|muted|open|readonly|required|reversed|selected))*\s*\/?>$/;
const CLOSING = /<\/([a-z][a-z0-9]*)/gi;
/** The start of something that is never shown, and how it ends. */
const HIDDEN = /<(?:!--|!doctype\s|script[\s>]|style[\s>])/gi;
const HIDDEN_ENDS: Readonly<Record<string, RegExp>> = {
  '!--': /-->/g,
  '!do': />/g,
  scr: /<\/script>/gi,
  sty: /<\/style>/gi,
};
/** Stands for the boundary of a block. */
const BOUNDARY = '\uE003';

/**
 * Drops the tags of HTML elements, and what they hide. Everything else in angle brackets is text, such as `List<String>`
 * and `<Enter>`. Blocks and line breaks become `<br>`.
 */
export function dropTags(text: string): string {
  if (!text.includes('<')) return text;
  const closed = new Set(Array.from(text.matchAll(CLOSING), ([, name]) => name!.toLowerCase()));
  return dropHidden(text.replaceAll(BOUNDARY, ''))
    .replace(CANDIDATE, (candidate, at: number, whole: string) => {
      const [, slash, written = ''] = TAG.exec(candidate) ?? [];
      const name = written.toLowerCase();
      // Not `<Button>`, which is a component or a key.
      const isElement = (inline.has(name) || block.has(name)) && [name, name.toUpperCase()].includes(written);
      const isOpen = !slash && !empty.has(name) && !closed.has(name);
      // As in `List<object>`.
      const isTypeArgument = isOpen && /[\p{L}\p{N}_]/u.test(whole[at - 1] ?? '');
      if (!isElement || isTypeArgument) return candidate;
      return block.has(name) ? BOUNDARY : '';
    })
    .replace(/^[ \t\uE003]*\uE003[ \t\uE003]*/gm, '')
    .replace(/\uE003[ \t\uE003]*/g, (run, at: number, whole: string) =>
      /^(\n|$)/.test(whole.slice(at + run.length, at + run.length + 1)) ? '' : '<br>',
    );
}

function dropHidden(text: string): string {
  let shown = '';
  let end = 0;
  const unended = new Set<string>();
  for (const { 0: start, index } of text.matchAll(HIDDEN)) {
    const kind = start.slice(1, 4).toLowerCase();
    if (index < end || unended.has(kind)) continue;
    const last = HIDDEN_ENDS[kind]!;
    last.lastIndex = index;
    if (last.test(text)) {
      shown += text.slice(end, index);
      end = last.lastIndex;
    } else {
      unended.add(kind);
    }
  }
  return shown + text.slice(end);
}
