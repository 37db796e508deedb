import { areaOf, paint } from './blend.js';
import { EDGE, Layer, mixed } from './layer.js';
import { IDENTITY, inverse, moved, multiplied, placed, turned } from './matrix.js';

const SIZE = 16;
const ALL = { left: 0, top: 0, right: SIZE, bottom: SIZE };
/** A square of one color. */
function square(x: number, y: number, size: number, [luma, blue, red]: readonly number[], alpha = 255): Layer {
  const layer = new Layer(x, y, size, size);
  const of = (value: number) => Math.round((value * alpha) / 255);
  for (const [pixels, values] of [
    [layer.full, [luma]],
    [layer.half, [blue, red]],
  ] as const)
    for (let row = 0; row < pixels.height; row++)
      for (let column = 0; column < pixels.width; column++) {
        const at = pixels.index(column, row);
        pixels.alpha[at] = alpha;
        values.forEach((value, plane) => (pixels.planes[plane]![at] = of(value!)));
      }
  return layer.classify();
}
const black = () => new Uint8Array((SIZE * SIZE * 3) / 2).fill(16, 0, SIZE * SIZE).fill(128, SIZE * SIZE);
const WHITE = [235, 128, 128];

describe('paint', () => {
  it('paints a layer at its position, in luma and chroma', () => {
    const frame = black();
    paint(square(4, 4, 4, [100, 90, 200]), IDENTITY, frame, SIZE, ALL);
    expect([frame[4 * SIZE + 4], frame[7 * SIZE + 7], frame[3 * SIZE + 4], frame[4 * SIZE + 8]]).toEqual([
      100, 100, 16, 16,
    ]);
    const half = SIZE / 2;
    const [blue, red] = [SIZE * SIZE, SIZE * SIZE * 1.25];
    expect([frame[blue + 2 * half + 2], frame[red + 3 * half + 3], frame[blue + 4 * half + 4]]).toEqual([90, 200, 128]);
  });

  it('moves it by fractions of a pixel', () => {
    const frame = black();
    paint(square(4, 4, 4, WHITE), moved(0.5, 0), frame, SIZE, ALL);
    expect([...frame.subarray(5 * SIZE + 3, 5 * SIZE + 10)]).toEqual([
      16,
      expect.closeTo(125, -1),
      235,
      235,
      235,
      expect.closeTo(125, -1),
      16,
    ]);
  });

  it('shows what is behind a translucent layer', () => {
    const frame = black();
    paint(square(0, 0, 16, WHITE, 128), IDENTITY, frame, SIZE, ALL);
    expect(frame[5 * SIZE + 5]).toBeGreaterThan(120);
    expect(frame[5 * SIZE + 5]).toBeLessThan(132);
  });

  it('does not touch the rest of the frame, nor anything outside', () => {
    const frame = black();
    paint(square(-4, -4, 8, WHITE), IDENTITY, frame, SIZE, { left: 0, top: 0, right: 2, bottom: 2 });
    expect([frame[0], frame[SIZE + 1], frame[2], frame[2 * SIZE]]).toEqual([235, 235, 16, 16]);
    paint(square(-40, -40, 8, WHITE), IDENTITY, frame, SIZE, ALL);
    expect(frame[0]).toBe(235);
  });

  it.each([0, 1.4, -1.4, 30, -60])('paints runs of one color like single pixels, rotated by %d degrees', (degrees) => {
    const layer = mixed(square(0, 0, 12, WHITE), square(4, 4, 12, [90, 60, 200]), 1);
    const matrix = multiplied(moved(0.3, -0.6), turned(degrees, 8, 8));
    const inRuns = black();
    paint(layer, matrix, inRuns, SIZE, ALL);
    for (const { kinds } of [layer.full, layer.half]) kinds.fill(EDGE);
    const singly = black();
    paint(layer, matrix, singly, SIZE, ALL);
    expect([...inRuns]).toEqual([...singly]);
    expect(new Set(inRuns).size).toBeGreaterThan(8);
  });

  it('computes the bounds of a rotated layer', () => {
    const { left, right } = areaOf(square(4, 4, 4, WHITE), turned(90, 0, 0));
    expect([left, right]).toEqual([-10, -2]);
  });
});

it('fades one layer into another without exceeding either', () => {
  const layer = mixed(square(0, 0, 4, WHITE), square(2, 2, 4, WHITE), 0.5);
  const { full } = layer;
  expect([full.width, full.height]).toEqual([6, 6]);
  expect(full.alpha[full.index(0, 0)]).toBe(127);
  expect(full.alpha[full.index(3, 3)]).toBeGreaterThanOrEqual(253);
  expect(full.alpha[full.index(0, 5)]).toBe(0);
});

it('a matrix times its inverse is the identity', () => {
  const matrix = multiplied(moved(3, -2), turned(20, 100, 50));
  const [x, y] = placed(inverse(matrix), ...placed(matrix, 7, 9));
  expect([x, y]).toEqual([expect.closeTo(7), expect.closeTo(9)]);
});
