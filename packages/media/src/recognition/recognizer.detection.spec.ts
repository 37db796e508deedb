import { Recognizer } from './recognizer.js';

let loaded: number[];
jest.mock('./sherpa.library.js', () => ({
  PROVIDER: 'cpu',
  loadSherpa: () => ({
    LinearResampler: class {},
    Vad: class {
      constructor({ sileroVad: { threshold } }: { sileroVad: { threshold: number } }) {
        loaded.push(threshold);
      }
      acceptWaveform(): void {}
      isEmpty = () => true;
      isDetected = () => false;
      reset(): void {}
    },
  }),
}));

it('loads no detector for each of the thresholds that a speaker chooses in a moment', async () => {
  loaded = [];
  const recognizer = await Recognizer.load({ silero: 'silero.onnx' });
  const detection = { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 };
  const parts = recognizer.streamParts(['somebody'], detection);
  for (let n = 0; n < 2000; n++) {
    parts.configure({ ...detection, threshold: (n % 19) / 20 });
    parts.isSpeech(new Float32Array(512));
  }
  expect(loaded).toEqual([0.5, 0.05]);
});
