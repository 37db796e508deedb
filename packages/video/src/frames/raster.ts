import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { Layer } from './layer.js';
import { PortraitError } from '../portrait/portrait.error.js';

let loading: Promise<void> | undefined;
/** Loads the WebAssembly, once. */
export function loadRasterizer(): Promise<void> {
  const file = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');
  return (loading ??= readFile(file).then((bytes) => initWasm(bytes)));
}

const FONTLESS = { font: { loadSystemFonts: false } };

/** Rasterizes a drawing at a width in pixels. @throws PortraitError */
export function pixelsOf(svg: string, width: number): Pixmap {
  return drawn(svg, width, (image) => ({ rgba: image.pixels, width: image.width, height: image.height }));
}

/** A drawing as a PNG. @throws PortraitError */
export function pngOf(svg: string, size: number): Uint8Array {
  return drawn(svg, size, (image) => image.asPng());
}

function drawn<T>(svg: string, size: number, take: (image: ReturnType<InstanceType<typeof Resvg>['render']>) => T): T {
  let drawing: InstanceType<typeof Resvg> | undefined;
  let image: ReturnType<InstanceType<typeof Resvg>['render']> | undefined;
  try {
    drawing = new Resvg(svg, { fitTo: { mode: 'width', value: size }, ...FONTLESS });
    image = drawing.render();
    return take(image);
  } catch {
    throw new PortraitError('The portrait cannot be drawn.');
  } finally {
    image?.free();
    drawing?.free();
  }
}

/** Pixels with premultiplied alpha. */
export interface Pixmap {
  readonly rgba: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Converts pixels to a layer. @param x of their corner in the frame; all four must be even */
export function layerOf({ rgba, width, height }: Pixmap, x: number, y: number): Layer {
  const layer = new Layer(x, y, width, height);
  const { full, half } = layer;
  const luma = full.planes[0]!;
  const [blue, red] = half.planes as [Uint8Array, Uint8Array];
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const at = 4 * (row * width + column);
      const a = rgba[at + 3]!;
      const to = full.index(column, row);
      luma[to] = (16 * a + 65.481 * rgba[at]! + 128.553 * rgba[at + 1]! + 24.966 * rgba[at + 2]!) / 255 + 0.5;
      full.alpha[to] = a;
    }
  }
  for (let row = 0; row < height / 2; row++) {
    for (let column = 0; column < width / 2; column++) {
      const at = 8 * (row * width + column);
      const below = at + 4 * width;
      const mean = (channel: number) =>
        (rgba[at + channel]! + rgba[at + 4 + channel]! + rgba[below + channel]! + rgba[below + 4 + channel]!) / 4;
      const [r, g, b, a] = [mean(0), mean(1), mean(2), mean(3)];
      const to = half.index(column, row);
      blue[to] = (128 * a - 37.797 * r - 74.203 * g + 112 * b) / 255 + 0.5;
      red[to] = (128 * a + 112 * r - 93.786 * g - 18.214 * b) / 255 + 0.5;
      half.alpha[to] = a + 0.5;
    }
  }
  return layer.classify();
}

/** Bounds of the painted columns and rows; undefined if nothing is painted. */
export function paintedIn({ rgba, width, height }: Pixmap) {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (rgba[4 * (y * width + x) + 3] === 0) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = y + 1;
    }
  }
  return right === 0 ? undefined : { left, top, right, bottom };
}
