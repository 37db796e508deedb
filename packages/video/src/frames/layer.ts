/** Kinds of pixels, including those right of and below: empty, an edge, opaque, and opaque in one color. */
export const EMPTY = 0;
export const EDGE = 1;
export const COVERED = 2;
export const FLAT = 3;

/** Rows of pixels, surrounded by an empty margin, so that neighbors can always be read. */
export class Pixels {
  readonly stride: number;
  readonly alpha: Uint8Array;
  /** Planes with premultiplied alpha: luma, or the two of chroma. */
  readonly planes: readonly Uint8Array[];
  /** For each pixel {@link EMPTY}, {@link EDGE}, {@link COVERED} or {@link FLAT}, after {@link classify}. */
  readonly kinds: Uint8Array;
  /** For each pixel, how many from it to the right are of its kind, including itself. Flat ones have the same color. */
  readonly runs: Uint16Array;

  constructor(
    readonly width: number,
    readonly height: number,
    planes: number,
  ) {
    this.stride = width + 2;
    const plane = () => new Uint8Array((width + 2) * (height + 2));
    this.alpha = plane();
    this.kinds = plane();
    this.runs = new Uint16Array(this.kinds.length);
    this.planes = Array.from({ length: planes }, plane);
  }

  index(x: number, y: number): number {
    return (y + 1) * this.stride + x + 1;
  }

  classify(): void {
    const { width, height, stride, alpha, kinds, runs, planes } = this;
    const isFlat = (plane: Uint8Array, at: number) =>
      plane[at] === plane[at + 1] && plane[at] === plane[at + stride] && plane[at] === plane[at + stride + 1];
    const kindAt = (at: number) => {
      const [one, right, below, both] = [alpha[at]!, alpha[at + 1]!, alpha[at + stride]!, alpha[at + stride + 1]!];
      if ((one | right | below | both) === 0) return EMPTY;
      if ((one & right & below & both) !== 255) return EDGE;
      return planes.every((plane) => isFlat(plane, at)) ? FLAT : COVERED;
    };
    for (let row = 0; row <= height; row++) {
      let run = 0;
      for (let at = row * stride + width; at >= row * stride; at--) {
        const kind = kindAt(at);
        run = run > 0 && kinds[at + 1] === kind ? run + 1 : 1;
        kinds[at] = kind;
        runs[at] = run;
      }
    }
  }
}

/** A rectangle of a drawing in video format: luma, and chroma at half the size. */
export class Layer {
  readonly full: Pixels;
  readonly half: Pixels;

  /** @param x of its corner in the frame; all four must be even */
  constructor(
    readonly x: number,
    readonly y: number,
    width: number,
    height: number,
  ) {
    this.full = new Pixels(width, height, 1);
    this.half = new Pixels(width / 2, height / 2, 2);
  }

  classify(): this {
    this.full.classify();
    this.half.classify();
    return this;
  }
}

/** One layer that fades into another. @param opacity of the other, 0 to 1 */
export function mixed(one: Layer, other: Layer, opacity: number): Layer {
  const x = Math.min(one.x, other.x);
  const y = Math.min(one.y, other.y);
  const right = Math.max(one.x + one.full.width, other.x + other.full.width);
  const bottom = Math.max(one.y + one.full.height, other.y + other.full.height);
  const result = new Layer(x, y, right - x, bottom - y);
  const add = (layer: Layer, weight: number) => {
    addPixels(layer.full, result.full, layer.x - x, layer.y - y, weight);
    addPixels(layer.half, result.half, (layer.x - x) / 2, (layer.y - y) / 2, weight);
  };
  add(one, 1 - opacity);
  add(other, opacity);
  return result.classify();
}

function addPixels(from: Pixels, to: Pixels, dx: number, dy: number, weight: number): void {
  const pairs = [from.alpha, ...from.planes].map((plane, index) => [plane, [to.alpha, ...to.planes][index]!] as const);
  for (let y = 0; y < from.height; y++) {
    const [read, write] = [from.index(0, y), to.index(dx, dy + y)];
    // Rounded down, so that the sum cannot exceed the maximum.
    for (const [source, target] of pairs)
      for (let x = 0; x < from.width; x++) target[write + x]! += source[read + x]! * weight;
  }
}
