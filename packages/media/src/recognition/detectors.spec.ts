import { Detectors } from './detectors.js';
import type { Sherpa } from './sherpa.library.js';

const settings = (threshold: number) => ({
  threshold,
  minSpeechDuration: 0.1,
  minSilenceDuration: 0.1,
  maxSpeechDuration: 10,
});

it('keeps eight detectors for later, and frees the memory of others at once', async () => {
  const freed: number[] = [];
  const registry = new FinalizationRegistry<number>((threshold) => freed.push(threshold));
  const Vad = class {
    constructor(config: { sileroVad: { threshold: number } }) {
      registry.register(this, config.sileroVad.threshold);
    }
    reset(): void {}
  };
  const detectors = new Detectors({ Vad } as unknown as Sherpa, 'silero.onnx');
  (() => {
    const taken = Array.from({ length: 10 }, (_, n) => [detectors.acquireDetector(settings(n)), settings(n)] as const);
    for (const [detector, its] of taken) detectors.releaseDetector(detector, its);
  })();
  await new Promise(setImmediate);
  detectors.releaseDetector(detectors.acquireDetector(settings(10)), settings(10));
  for (let n = 0; n < 10 && freed.length < 2; n++) await new Promise((done) => setTimeout(done, 10));
  expect(freed).toEqual(expect.arrayContaining([0, 1]));
  const kept = detectors.acquireDetector(settings(9));
  detectors.releaseDetector(kept, settings(9));
  expect(detectors.acquireDetector(settings(9))).toBe(kept);
});
