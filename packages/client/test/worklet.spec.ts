type Block = Float32Array[][];
interface Capture {
  port: { posted: Int16Array[]; send(): void };
  process(inputs: Block): boolean;
}

it('a muted microphone, for which Firefox delivers no samples, yields silence until it is closed', async () => {
  const processors: Record<string, new () => Capture> = {};
  class AudioWorkletProcessor {
    readonly port = {
      posted: [] as Int16Array[],
      send: () => {},
      postMessage(piece: Int16Array) {
        this.posted.push(piece.slice());
      },
      addEventListener(_: string, hear: () => void) {
        this.send = hear;
      },
      start() {},
    };
  }
  const registerProcessor = (name: string, processor: new () => Capture) => (processors[name] = processor);
  Object.assign(globalThis, { AudioWorkletProcessor, registerProcessor, sampleRate: 48_000 });
  // A browser script: its types are not Node's.
  await import('../src/live/worklet.js' as string);
  const capture = new processors['live-capture']!();
  for (let n = 0; n < 100; n++) expect(capture.process(n < 50 ? [[new Float32Array(128).fill(0.5)]] : [[]])).toBe(true);
  const { posted } = capture.port;
  expect(posted).toHaveLength(6);
  expect([posted[2]![100], posted[5]![900]]).toEqual([expect.closeTo(16_383, -2), 0]);
  capture.port.send();
  expect(capture.process([[]])).toBe(false);
});
