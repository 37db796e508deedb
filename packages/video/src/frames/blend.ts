import { COVERED, EMPTY, FLAT, type Layer, type Pixels } from './layer.js';
import { inverse, type Matrix, placed } from './matrix.js';

/** A rectangle of a frame, in pixels; even numbers. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Fixed point with 16 fractional bits. */
const ONE = 65_536;

/**
 * Paints a layer into a square I420 frame.
 *
 * @param matrix from the layer, as drawn, to the frame
 * @param area the part of the frame to paint
 */
export function paint(layer: Layer, matrix: Matrix, frame: Uint8Array, size: number, area: Area): void {
  const pixels = size * size;
  const [a, b, c, d, e, f] = matrix;
  const { x, y, full, half } = layer;
  const reach = within(areaOf(layer, matrix), area);
  if (reach.left >= reach.right || reach.top >= reach.bottom) return;
  blend(full, x, y, inverse(matrix), [frame.subarray(0, pixels)], size, reach);
  const small: Matrix = [a, b, c, d, e / 2, f / 2];
  const { left, top, right, bottom } = reach;
  const quarter = { left: left / 2, top: top / 2, right: right / 2, bottom: bottom / 2 };
  const colours = [frame.subarray(pixels, pixels * 1.25), frame.subarray(pixels * 1.25)];
  blend(half, x / 2, y / 2, inverse(small), colours, size / 2, quarter);
}

/** The bounds of a layer in the frame. */
export function areaOf({ x, y, full: { width, height } }: Layer, matrix: Matrix): Area {
  const corners = [x, x + width].flatMap((across) => [y, y + height].map((down) => placed(matrix, across, down)));
  const [across, down] = [corners.map((corner) => corner[0]), corners.map((corner) => corner[1])];
  return {
    left: even(Math.min(...across) - 1),
    top: even(Math.min(...down) - 1),
    right: even(Math.max(...across) + 3),
    bottom: even(Math.max(...down) + 3),
  };
}

/** The intersection of two areas; empty if its right is not beyond its left. */
function within(one: Area, other: Area): Area {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

function even(number: number): number {
  return 2 * Math.floor(number / 2);
}

function blend(
  pixels: Pixels,
  x: number,
  y: number,
  [a, b, c, d, e, f]: Matrix,
  targets: readonly Uint8Array[],
  size: number,
  { left, top, right, bottom }: Area,
): void {
  const [stepX, stepY] = [Math.round(a * ONE), Math.round(b * ONE)];
  for (let row = top; row < bottom; row++) {
    // Index 0 is the empty pixel before the first.
    const startX = Math.round((a * (left + 0.5) + c * (row + 0.5) + e + 0.5 - x) * ONE);
    const startY = Math.round((b * (left + 0.5) + d * (row + 0.5) + f + 0.5 - y) * ONE);
    const to = row * size + left;
    targets.forEach((target, plane) =>
      blendRow(pixels, pixels.planes[plane]!, target, to, to + right - left, startX, startY, stepX, stepY),
    );
  }
}

/** 32-bit integers, which makes it three times as fast; runs of one kind are painted at once. */
function blendRow(
  { width, height, stride, alpha, kinds, runs }: Pixels,
  plane: Uint8Array,
  target: Uint8Array,
  from: number,
  end: number,
  startX: number,
  startY: number,
  stepX: number,
  stepY: number,
): void {
  let x = startX | 0;
  let y = startY | 0;
  let to = from | 0;
  while (to < end) {
    const column = x >> 16;
    const row = y >> 16;
    let count = 1;
    if (column >= 0 && column <= width && row >= 0 && row <= height) {
      const at = (Math.imul(row, stride) + column) | 0;
      const kind = kinds[at]!;
      if (kind === EMPTY || kind === FLAT) {
        count = Math.min(stepsIn(x, stepX, runs[at]!), stepsIn(y, stepY, 1), end - to);
        if (kind === FLAT) fill(target, to, count, plane[at]!);
      } else {
        const partX = (x >> 8) & 255;
        const partY = (y >> 8) & 255;
        const w3 = Math.imul(partX, partY);
        const w1 = ((partX << 8) - w3) | 0;
        const w2 = ((partY << 8) - w3) | 0;
        const w0 = (ONE - w1 - w2 - w3) | 0;
        const below = (at + stride) | 0;
        let sum = (Math.imul(plane[at]!, w0) + Math.imul(plane[at + 1]!, w1)) | 0;
        sum = (sum + Math.imul(plane[below]!, w2) + Math.imul(plane[below + 1]!, w3)) | 0;
        const value = sum >> 16;
        if (kind === COVERED) target[to] = value;
        else {
          sum = (Math.imul(alpha[at]!, w0) + Math.imul(alpha[at + 1]!, w1)) | 0;
          sum = (sum + Math.imul(alpha[below]!, w2) + Math.imul(alpha[below + 1]!, w3)) | 0;
          const opacity = sum >> 16;
          target[to] = value + ((Math.imul(Math.imul(target[to]!, 255 - opacity), 257) + 32_768) >> 16);
        }
      }
    }
    to = (to + count) | 0;
    x = (x + Math.imul(count, stepX)) | 0;
    y = (y + Math.imul(count, stepY)) | 0;
  }
}

/** How many steps from a position stay within this many pixels, starting in the first. At least 1. */
function stepsIn(place: number, step: number, pixels: number): number {
  const into = place & (ONE - 1);
  if (step > 0) return (((((pixels << 16) - 1 - into) / step) | 0) + 1) | 0;
  return step < 0 && pixels === 1 ? (((into / -step) | 0) + 1) | 0 : pixels === 1 ? FAR : 1;
}

function fill(target: Uint8Array, from: number, count: number, value: number): void {
  if (count > LONG) target.fill(value, from, from + count);
  else for (let to = from; to < from + count; to++) target[to] = value;
}

/** More pixels than a row has. */
const FAR = 65_536;
/** From this length on, a fill() call is faster than a loop. */
const LONG = 32;
