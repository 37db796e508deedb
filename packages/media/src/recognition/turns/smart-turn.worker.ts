import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { logMel } from './log.mel.js';
import type { TurnModel } from './turn.judge.js';

/** The used part of onnxruntime-node's native library. */
interface Session {
  loadModel(file: string, options: object): void;
  run(inputs: object, outputs: object, options: object): unknown;
}

const { model, runtime } = workerData as TurnModel;
const { InferenceSession } = createRequire(import.meta.url)(runtime) as { InferenceSession: new () => Session };
const session = new InferenceSession();
session.loadModel(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });

const tensor = (data: Float32Array, dims: number[]) => ({
  data,
  cpuData: data,
  dims,
  type: 'float32',
  location: 'cpu',
});

parentPort!.on('message', (sound: Float32Array) => {
  const complete = new Float32Array(1);
  const input = { input_features: tensor(logMel(sound), [1, 80, 800]) };
  session.run(input, { logits: tensor(complete, [1, 1]) }, {});
  parentPort!.postMessage(complete[0]);
});
