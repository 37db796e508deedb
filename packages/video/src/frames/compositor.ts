import { type Eyes, NECK, type Pose } from '../face/pose.js';
import { type Mouth, type SeenMouth } from '../face/mouth.js';
import { type Area, areaOf, paint } from './blend.js';
import { type Layer, mixed } from './layer.js';
import { IDENTITY, type Matrix, moved, multiplied, turned } from './matrix.js';
import { type MovingLayer, piecesOf, type PortraitPiece } from '../portrait/portrait.pieces.js';
import type { PortraitSource, ViewBox } from '../portrait/portrait.source.js';
import { layerOf, loadRasterizer, paintedIn, pixelsOf } from './raster.js';

/** Margin around the frame in pixels that is drawn too, for what moves into it. */
const MARGIN = 16;
/** Tile size in pixels for finding the bounds of a piece. Frames and margins are multiples of it. */
const CELL = 8;

interface Part {
  readonly layers: readonly MovingLayer[];
  readonly mouth?: Mouth;
  readonly eyes?: Eyes;
  readonly layer: Layer;
}

/** A portrait rasterized once, in pieces, from which each frame of a video is composed. */
export class Compositor {
  private readonly frame: Uint8Array;
  private readonly whole: Area;
  private pose?: Pose;
  private mouths = '';

  private constructor(
    readonly size: number,
    private readonly viewBox: ViewBox,
    private readonly parts: readonly Part[],
    private readonly backdrop: Uint8Array,
  ) {
    this.frame = new Uint8Array(backdrop.length);
    this.whole = { left: 0, top: 0, right: size, bottom: size };
  }

  /** @param size of the frames; a multiple of 16. @throws PortraitError */
  static async of(source: PortraitSource, size: number): Promise<Compositor> {
    await loadRasterizer();
    const parts: Part[] = [];
    for (const { svg, ...piece } of piecesOf(source)) {
      const layer = drawn(svg, source.viewBox, size);
      if (layer) parts.push({ ...piece, layer });
    }
    const backdrop = new Uint8Array((size * size * 3) / 2).fill(235, 0, size * size).fill(128, size * size);
    // The static background is painted only once.
    while (parts[0] && parts[0].layers.length === 0 && !parts[0].mouth && !parts[0].eyes)
      paint(parts.shift()!.layer, IDENTITY, backdrop, size, { left: 0, top: 0, right: size, bottom: size });
    return new Compositor(size, source.viewBox, parts, backdrop);
  }

  /** In the drawing, to a pixel. */
  get unit(): number {
    return this.viewBox.size / this.size;
  }

  /**
   * Draws a frame as I420, valid until the next one is drawn. Fast while only the mouth moves.
   *
   * @param pose the same object as before if nothing in it has changed
   */
  draw(pose: Pose, mouths: readonly SeenMouth[]): Uint8Array {
    const matrices = this.matricesOf(pose);
    const seen = mouths.map(({ mouth, opacity }) => `${mouth} ${opacity.toFixed(3)}`).join();
    const areas = pose === this.pose ? (seen === this.mouths ? [] : this.mouthAreas(matrices)) : [this.whole];
    this.pose = pose;
    this.mouths = seen;
    for (const area of areas) this.drawArea(area, pose, matrices, mouths);
    return this.frame;
  }

  private drawArea(area: Area, pose: Pose, matrices: Matrices, mouths: readonly SeenMouth[]): void {
    const { frame, size } = this;
    this.clearArea(area);
    let isMouthPainted = false;
    for (const { layers, mouth, eyes, layer } of this.parts) {
      if ((eyes !== undefined && eyes !== pose.eyes) || (mouth !== undefined && isMouthPainted)) continue;
      if (mouth !== undefined) isMouthPainted = true;
      const shown = mouth === undefined ? layer : this.mouthOf(mouths);
      if (shown) paint(shown, combined(layers, matrices), frame, size, area);
    }
  }

  private clearArea({ left, top, right, bottom }: Area): void {
    const { frame, backdrop, size } = this;
    const copy = (from: number, length: number) => frame.set(backdrop.subarray(from, from + length), from);
    for (let y = top; y < bottom; y++) copy(y * size + left, right - left);
    for (const start of [size * size, size * size * 1.25])
      for (let y = top / 2; y < bottom / 2; y++) copy(start + (y * size + left) / 2, (right - left) / 2);
  }

  private mouthOf(mouths: readonly SeenMouth[]): Layer | undefined {
    const [below, above] = mouths.map(({ mouth }) => this.parts.find((part) => part.mouth === mouth)?.layer);
    return below && above ? mixed(below, above, mouths[1]!.opacity) : (above ?? below);
  }

  /** Whether the portrait draws a mouth shape. */
  has(mouth: Mouth): boolean {
    return this.parts.some((part) => part.mouth === mouth);
  }

  /** Bounds of all mouths. */
  private mouthAreas(matrices: Matrices): Area[] {
    const areas = this.parts
      .filter(({ mouth }) => mouth !== undefined)
      .map(({ layer, layers }) => areaOf(layer, combined(layers, matrices)));
    if (areas.length === 0) return [];
    const joined = {
      left: Math.max(0, Math.min(...areas.map(({ left }) => left))),
      top: Math.max(0, Math.min(...areas.map(({ top }) => top))),
      right: Math.min(this.size, Math.max(...areas.map(({ right }) => right))),
      bottom: Math.min(this.size, Math.max(...areas.map(({ bottom }) => bottom))),
    };
    return joined.left < joined.right && joined.top < joined.bottom ? [joined] : [];
  }

  /** In pixels. */
  private matricesOf({ head, features, irises, body }: Pose): Matrices {
    const scale = 1 / this.unit;
    const by = ({ x, y }: { x: number; y: number }) => moved(x * scale, y * scale);
    const neck = { x: (NECK.x - this.viewBox.x) * scale, y: (NECK.y - this.viewBox.y) * scale };
    const skull = multiplied(by(head), turned(head.degrees, neck.x, neck.y));
    return { head: skull, 'hair-back': skull, features: by(features), irises: by(irises), body: by(body) };
  }
}

type Matrices = Readonly<Record<MovingLayer, Matrix>>;

function combined(layers: readonly MovingLayer[], matrices: Matrices): Matrix {
  return layers.reduce<Matrix>((outer, name) => multiplied(outer, matrices[name]), IDENTITY);
}

/** Rasterizes a piece as a layer for a frame size; only its visible part, which is faster. */
function drawn(svg: PortraitPiece['svg'], viewBox: ViewBox, size: number): Layer | undefined {
  const unit = viewBox.size / size;
  const seen = (x: number, y: number, width: number, height: number) =>
    svg(`${viewBox.x + x * unit} ${viewBox.y + y * unit} ${width * unit} ${height * unit}`);
  const all = size + 2 * MARGIN;
  const cells = paintedIn(pixelsOf(seen(-MARGIN, -MARGIN, all, all), all / CELL));
  if (!cells) return undefined;
  // Plus one on each side, since a fine line may vanish when scaled down.
  const [left, top] = [Math.max(0, cells.left - 1) * CELL, Math.max(0, cells.top - 1) * CELL];
  const [right, bottom] = [Math.min(all, (cells.right + 1) * CELL), Math.min(all, (cells.bottom + 1) * CELL)];
  const [x, y, width, height] = [left - MARGIN, top - MARGIN, right - left, bottom - top];
  return layerOf(pixelsOf(seen(x, y, width, height), width), x, y);
}
