import { SaxesParser } from 'saxes';
import { BASIC_MOUTHS } from '../face/mouth.js';
import { EYES } from '../face/pose.js';
import { PORTRAIT_FILE_LIMIT, PortraitError } from './portrait.error.js';

/** Maximum number of elements, and their maximum nesting depth. */
const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 100;

const MOVING = ['background', 'hair-back', 'body', 'head', 'features', 'irises'];
/** The layers that a portrait must have, each a `<g>` with that id. */
export const LAYERS: readonly string[] = [
  ...MOVING,
  ...EYES.map((eyes) => `eyes-${eyes}`),
  ...BASIC_MOUTHS.map((mouth) => `mouth-${mouth}`),
];

/**
 * Elements that a portrait may contain, as for the widget, which also shows it. Others are only allowed as metadata.
 */
const DRAWN = new Set('svg g path circle ellipse rect line polyline polygon'.split(' '));
export const REFERRED = new Set('defs linearGradient radialGradient stop clipPath mask'.split(' '));
const DESCRIBING = new Set('title desc metadata'.split(' '));
/** Suffixes of function names that load nothing. */
const HARMLESS =
  'rgb rgba hsl hsla translate translatex translatey rotate scale scalex scaley skew skewx skewy matrix'.split(' ');

export interface PortraitElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly PortraitElement[];
}

/** A square, in units of the drawing. */
export interface ViewBox {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

export interface PortraitSource {
  readonly root: PortraitElement;
  readonly viewBox: ViewBox;
}

interface OpenElement extends PortraitElement {
  readonly children: PortraitElement[];
}

/**
 * Parses a portrait, and rejects anything that could run code, load resources or take forever.
 *
 * @throws PortraitError
 */
export function readPortrait(text: string): PortraitSource {
  if (Buffer.byteLength(text) > PORTRAIT_FILE_LIMIT) throw new PortraitError('The portrait is larger than 10 MB.');
  const root = parsed(text);
  const found = new Set<string>();
  const collect = ({ name, attributes, children }: PortraitElement): void => {
    if (name === 'g' && attributes.id !== undefined) found.add(attributes.id);
    children.forEach(collect);
  };
  collect(root);
  const missing = LAYERS.filter((layer) => !found.has(layer));
  if (missing.length > 0) throw new PortraitError(`The portrait lacks the layers ${missing.join(', ')}.`);
  return { root, viewBox: viewBoxOf(root) };
}

function parsed(text: string): PortraitElement {
  let root: OpenElement | undefined;
  const open: (OpenElement | undefined)[] = [];
  let elements = 0;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', () => {
    throw new PortraitError('The portrait is not well-formed XML.');
  });
  parser.on('doctype', (doctype) => {
    if (/\[|<!/.test(doctype)) throw new PortraitError('The portrait declares entities in its DOCTYPE.');
  });
  parser.on('processinginstruction', () => {
    throw new PortraitError('The portrait has a processing instruction, such as a style sheet.');
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (++elements > MAX_ELEMENTS) throw new PortraitError(`The portrait has more than ${MAX_ELEMENTS} elements.`);
    if (open.length >= MAX_DEPTH) throw new PortraitError('The portrait nests its elements too deep.');
    const parent = open.at(-1);
    const isForeign = uri !== SVG || DESCRIBING.has(local) || (open.length > 0 && !parent);
    if (open.length === 0 && (uri !== SVG || local !== 'svg')) throw new PortraitError('The portrait is not an SVG.');
    if (/^script$/i.test(local)) throw new PortraitError('The portrait has a <script>.');
    // Also for elements that are not drawn, since an editor may show them again.
    const kept = isForeign ? {} : checked(local, attributes);
    if (!isForeign && !DRAWN.has(local) && !REFERRED.has(local)) throw new PortraitError(unwanted(local));
    const element = isForeign ? undefined : { name: local, attributes: kept, children: [] };
    if (element) parent?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(text.replace(/^\uFEFF/, '')).close();
  return root!;
}

const SVG = 'http://www.w3.org/2000/svg';
const XLINK = 'http://www.w3.org/1999/xlink';

function unwanted(element: string): string {
  const advice = /^(text|tspan)$/.test(element) ? ': turn it into paths' : '';
  return `The portrait has a <${element.slice(0, 40)}>, which portraits may not have${advice}.`;
}

type Attributes = Readonly<Record<string, { local: string; prefix: string; uri: string; value: string }>>;

function checked(element: string, attributes: Attributes): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const { local, prefix, uri, value } of Object.values(attributes)) {
    if (/^on/i.test(local)) throw new PortraitError(`The portrait has an event handler, ${local.slice(0, 40)}.`);
    if (local === 'href' && (uri === '' || uri === XLINK)) {
      if (!value.startsWith('#')) throw new PortraitError(`The portrait has an external reference, in a <${element}>.`);
      kept.href = value;
    }
    if (prefix !== '' || local === 'xmlns' || local === 'href') continue;
    if (local === 'style')
      throw new PortraitError('The portrait has style attributes: export it with presentation attributes.');
    if (!isSelfContained(value)) throw new PortraitError(`The portrait has an external reference, in a <${element}>.`);
    kept[local] = value;
  }
  return kept;
}

function isSelfContained(value: string): boolean {
  if (value.includes('\\')) return false;
  const [first, ...others] = value.toLowerCase().split('(');
  let before = first!;
  for (const after of others) {
    if (!isHarmless(before, after.trimStart())) return false;
    before = after;
  }
  return true;
}

/**
 * Whether a function call loads nothing. @param before text that ends with its name @param after text that starts with
 * its first argument
 */
function isHarmless(before: string, after: string): boolean {
  if (after === '' || after.startsWith(')') || !/[\w-]$/.test(before.slice(-1))) return true;
  if (before.endsWith('url')) return /^["']?#/.test(after.slice(0, 2));
  return HARMLESS.some((name) => before.endsWith(name));
}

function viewBoxOf({ attributes: { viewBox = '' } }: PortraitElement): ViewBox {
  const [x, y, width, height, ...rest] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const isSquare = width !== undefined && height !== undefined && width > 0 && Math.abs(width - height) < width / 100;
  if (!isSquare || rest.length > 0 || !Number.isFinite(x) || !Number.isFinite(y) || width > 1e6)
    throw new PortraitError('The portrait has no viewBox, or one that is not square.');
  return { x: x!, y: y!, size: width };
}
