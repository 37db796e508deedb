const latencyIn = async (userAgent: string, asked: () => number): Promise<number> => {
  Object.assign(globalThis, { navigator: { userAgent } });
  // A browser script: its types are not Node's.
  const { outputLatency } = await import('../src/live/latency.js' as string);
  return outputLatency({
    get outputLatency() {
      return asked();
    },
  });
};

afterEach(() => delete (globalThis as { navigator?: unknown }).navigator);

it('the latency is that of the context', async () => {
  expect(await latencyIn('Mozilla/5.0 Chrome/150.0.0.0 Safari/537.36', () => 0.2)).toBe(0.2);
});

it('the latency is not read in Firefox, where that may hang', async () => {
  const hangs = () => {
    throw new Error('asked');
  };
  expect(await latencyIn('Mozilla/5.0 Gecko/20100101 Firefox/153.0', hangs)).toBeGreaterThan(0);
});
