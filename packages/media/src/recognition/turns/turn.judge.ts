import { Worker } from 'node:worker_threads';
import { mediaProgram } from '../../programs.js';
import { TURN_SAMPLES } from './log.mel.js';

/** The files that hear whether a turn is complete. */
export interface TurnModel {
  readonly model: string;
  /** The native library of the ONNX runtime. */
  readonly runtime: string;
}

/** Judgements that may wait; beyond it, turns end by silence. */
const WAITING_LIMIT = 8;

/** Judges in a thread whether what was said is complete. */
export class TurnJudge {
  private worker?: Worker;
  private isUnusable = false;
  private readonly waiting: ((complete: number | undefined) => void)[] = [];

  constructor(private readonly model: TurnModel) {}

  /** @param sound at 16 kHz. @returns the probability that the turn is complete; undefined if it cannot be judged */
  async judge(sound: Float32Array): Promise<number | undefined> {
    const worker = this.isUnusable || this.waiting.length >= WAITING_LIMIT ? undefined : (this.worker ??= this.start());
    if (!worker) return undefined;
    const last = sound.slice(-TURN_SAMPLES);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      worker.postMessage(last, [last.buffer]);
    });
  }

  private start(): Worker | undefined {
    const file = mediaProgram('recognition/turns/smart-turn.worker.js');
    const worker = file && new Worker(file, { workerData: this.model });
    worker?.on('message', (complete: number) => this.waiting.shift()?.(complete));
    worker?.on('error', () => undefined); // the exit event follows
    worker?.on('exit', () => {
      this.isUnusable = true;
      for (const resolve of this.waiting.splice(0)) resolve(undefined);
    });
    worker?.unref();
    return worker;
  }
}
