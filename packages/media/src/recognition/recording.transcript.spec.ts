import type { Decodes } from './decode.queue.js';
import type { Detectors } from './detectors.js';
import { transcribe } from './recording.transcript.js';
import { SAMPLE_RATE } from './speech.spans.js';

jest.mock('../audio/decoding.worker-client.js', () => ({
  DecodingWorkerClient: class {
    async *decodeRecording() {
      yield [{ samples: new Float32Array(3 * SAMPLE_RATE), sampleRate: SAMPLE_RATE }];
    }
  },
}));

it('a recording has the language that the model detected last', async () => {
  const spans = [0, 30].map((start) => ({ start: start * SAMPLE_RATE, samples: new Float32Array(SAMPLE_RATE) }));
  const detector = {
    acceptWaveform: () => undefined,
    isDetected: () => false,
    isEmpty: () => spans.length === 0,
    front: () => spans[0],
    pop: () => void spans.shift(),
    flush: () => undefined,
  };
  const detectors = { acquireDetector: () => detector, releaseDetector: () => undefined } as unknown as Detectors;
  const heard = [{ text: 'Hallo', language: 'de' }, { text: '' }];
  const add = () => {
    const { text, language } = heard.shift()!;
    return { text: Promise.resolve(text), language };
  };
  const work = transcribe(new Uint8Array(), {} as never, detectors, { add } as unknown as Decodes);
  let next = await work.next();
  while (!next.done) next = await work.next();
  expect(next.value).toEqual({ text: 'Hallo', seconds: 3, language: 'de' });
});
