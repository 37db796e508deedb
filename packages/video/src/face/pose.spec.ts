import { type Eyes, movedBy, poseAt } from './pose.js';

const seconds = (from: number, to: number, step = 0.02) =>
  Array.from({ length: Math.round((to - from) / step) }, (_, index) => from + index * step);
const blinks = (eyes: readonly Eyes[]) =>
  eyes.filter((shape, index) => shape === 'closed' && eyes[index - 1] !== 'closed').length;

describe('poseAt', () => {
  it('blinks every few seconds, briefly, and not always after the same time', () => {
    const times = seconds(0, 60);
    const eyes = times.map((time) => poseAt(time).eyes);
    expect(blinks(eyes)).toBeGreaterThan(14);
    expect(blinks(eyes)).toBeLessThan(22);
    const begins = times.filter((_, index) => eyes[index] === 'half' && eyes[index - 1] === 'open');
    const between = begins.slice(1).map((time, index) => Math.round((time - begins[index]!) * 10));
    expect(new Set(between).size).toBeGreaterThan(3);
    expect(eyes.filter((shape) => shape !== 'open').length / eyes.length).toBeLessThan(0.06);
  });

  it('begins with open eyes that look straight ahead', () => {
    expect(poseAt(0)).toMatchObject({ eyes: 'open', irises: { x: 0, y: 0 } });
  });

  it('moves little, and never far between two frames', () => {
    for (const time of seconds(0, 30, 0.04)) {
      const [now, next] = [poseAt(time), poseAt(time + 0.04)];
      expect(Math.abs(now.head.x) + Math.abs(now.head.y) + Math.abs(now.head.degrees)).toBeLessThan(8);
      expect(Math.abs(now.irises.x) + Math.abs(now.irises.y)).toBeLessThan(3);
      expect(Math.hypot(next.head.x - now.head.x, next.head.y - now.head.y)).toBeLessThan(0.5);
    }
  });

  it('measures the distance between poses, and whether a change of the eyes is visible', () => {
    const rest = poseAt(0);
    const turned = { ...rest, head: { ...rest.head, degrees: rest.head.degrees + 1 } };
    expect(movedBy(rest, rest)).toBe(0);
    expect(movedBy(rest, turned)).toBeCloseTo(5.2, 1);
    expect(movedBy(rest, { ...rest, body: { x: 3, y: rest.body.y + 4 } })).toBe(5);
    expect(movedBy(rest, { ...rest, eyes: 'half' })).toBe(Infinity);
  });

  it('repeats if it loops', () => {
    for (const time of seconds(0, 4, 0.1)) {
      const [first, second] = [poseAt(time, 4), poseAt(time + 4, 4)];
      expect(second.head.x).toBeCloseTo(first.head.x);
      expect(second.features.y).toBeCloseTo(first.features.y);
      expect(second.body.y).toBeCloseTo(first.body.y);
      expect(second.irises.x).toBeCloseTo(first.irises.x);
    }
    expect(blinks(seconds(0, 4).map((time) => poseAt(time, 4).eyes))).toBe(1);
  });
});
