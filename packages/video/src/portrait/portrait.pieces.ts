import { EYES, type Eyes } from '../face/pose.js';
import { type Mouth, MOUTHS } from '../face/mouth.js';
import { type PortraitElement, type PortraitSource, REFERRED } from './portrait.source.js';

/** The layers that move independently. */
const MOVING = ['hair-back', 'body', 'head', 'features', 'irises'] as const;
export type MovingLayer = (typeof MOVING)[number];

/** A part of a portrait that moves, and is shown or hidden, as one. */
export interface PortraitPiece {
  /** The moving layers that contain it, outermost first. */
  readonly layers: readonly MovingLayer[];
  /** The mouth or eyes that it is part of; omitted, it is always visible. */
  readonly mouth?: Mouth;
  readonly eyes?: Eyes;
  /** The drawing with only this piece, cropped to a view box. */
  svg(viewBox: string): string;
}

type Key = Omit<PortraitPiece, 'svg'>;

/** The pieces of a portrait in painting order. */
export function piecesOf({ root }: PortraitSource): PortraitPiece[] {
  const keys = new Map<PortraitElement, number>();
  const runs: Key[] = [];
  const visit = (element: PortraitElement, key: Key): void => {
    if (REFERRED.has(element.name)) return;
    if (element.name !== 'g' && element.name !== 'svg') {
      if (!same(runs.at(-1), key)) runs.push(key);
      keys.set(element, runs.length - 1);
      return;
    }
    const inside = element.name === 'g' ? within(key, element.attributes.id) : key;
    for (const child of element.children) visit(child, inside);
  };
  visit(root, { layers: [] });
  return runs.map((key, run) => ({
    ...key,
    svg: (viewBox) => written({ ...root, attributes: rootAttributes(root, viewBox) }, (leaf) => keys.get(leaf) === run),
  }));
}

/** The whole portrait at rest, cropped to another view box. */
export function stillOf({ root }: PortraitSource, viewBox: string, attributes: Record<string, string> = {}): string {
  const hidden = (element: PortraitElement): boolean => {
    const { mouth = 'rest', eyes = 'open' } = within({ layers: [] }, element.attributes.id);
    return mouth !== 'rest' || eyes !== 'open';
  };
  const shown = (element: PortraitElement): PortraitElement => ({
    ...element,
    children: element.children.filter((child) => !hidden(child)).map(shown),
  });
  return written({ ...shown(root), attributes: { ...rootAttributes(root, viewBox), ...attributes } }, () => true);
}

function within(key: Key, id = ''): Key {
  const layer = MOVING.find((name) => name === id);
  const mouth = MOUTHS.find((name) => `mouth-${name}` === id);
  const eyes = EYES.find((name) => `eyes-${name}` === id);
  if (layer) return { ...key, layers: [...key.layers, layer] };
  return { ...key, ...(mouth ? { mouth } : {}), ...(eyes ? { eyes } : {}) };
}

function same(one: Key | undefined, other: Key): boolean {
  return one?.mouth === other.mouth && one?.eyes === other.eyes && one?.layers.join() === other.layers.join();
}

function rootAttributes({ attributes }: PortraitElement, viewBox: string): Record<string, string> {
  const { width: _, height: __, x: ___, y: ____, preserveAspectRatio: _____, ...rest } = attributes;
  return { xmlns: 'http://www.w3.org/2000/svg', ...rest, viewBox };
}

/** XML with some of the painted elements and everything that they may refer to. */
function written(element: PortraitElement, isWanted: (leaf: PortraitElement) => boolean): string {
  const { name, attributes, children } = element;
  const isReferred = REFERRED.has(name);
  const isGroup = name === 'g' || name === 'svg';
  if (!isReferred && !isGroup && !isWanted(element)) return '';
  const inside = children.map((child) => written(child, isReferred ? () => true : isWanted)).join('');
  if (name === 'g' && inside === '') return '';
  const isLayer = /^(eyes|mouth)-/.test(attributes.id ?? '');
  const kept = Object.entries(attributes).filter(([key]) => !(isLayer && key === 'display'));
  return `<${name}${kept.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>${inside}</${name}>`;
}

function escaped(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
