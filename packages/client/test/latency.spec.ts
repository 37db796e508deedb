import { outputLatency } from '../src/live/latency.js';

const latencyIn = (userAgent: string, asked: () => number) => {
  Object.assign(globalThis, { navigator: { userAgent } });
  return outputLatency({
    get outputLatency() {
      return asked();
    },
  });
};

afterEach(() => delete (globalThis as { navigator?: unknown }).navigator);

it('the latency is that of the context', () => {
  expect(latencyIn('Mozilla/5.0 Chrome/150.0.0.0 Safari/537.36', () => 0.2)).toBe(0.2);
});

it('Firefox, which the question may hang, is not asked', () => {
  const hangs = () => {
    throw new Error('asked');
  };
  expect(latencyIn('Mozilla/5.0 Gecko/20100101 Firefox/153.0', hangs)).toBeGreaterThan(0);
});
