import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { aWav } from '../../../../test/support/wav.mjs';
import { DecodingWorkerClient } from './decoding.worker-client.js';

/** A fake worker: each step has two samples that count up to the first byte of the recording; 255 hangs at the second. */
const OBEDIENT = `
  const { parentPort } = require('node:worker_threads');
  const open = new Map();
  parentPort.on('message', ({ id, open: recording, skip, next, close }) => {
    if (recording) open.set(id, { last: recording[0], at: skip });
    else if (close) return open.delete(id);
    const one = open.get(id);
    if (next && one.last === 255 && one.at > 0) for (;;);
    const samples = next ? Float32Array.of(one.at++, one.at++) : new Float32Array(0);
    parentPort.postMessage({ chunks: next ? [{ samples, sampleRate: 16000 }] : [], isLast: next === true && one.at >= one.last });
  });`;

describe('DecodingWorkerClient', () => {
  let directory: string;
  let client: DecodingWorkerClient;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'decoding-'));
    writeFileSync(join(directory, 'worker.cjs'), OBEDIENT);
    writeFileSync(join(directory, 'absent.cjs'), 'process.exit(69)');
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  afterEach(() => client.stop());

  const start = (file?: string, limits = { step: 30_000, idle: 30_000 }) =>
    (client = new DecodingWorkerClient(limits, file === undefined ? undefined : pathToFileURL(join(directory, file))));
  const samplesOf = async (recording: Uint8Array): Promise<number[]> => {
    const all: number[] = [];
    for await (const chunks of client.decodeRecording(recording))
      for (const { samples } of chunks) all.push(...samples);
    return all;
  };

  it('ends a thread that hangs: the recording ends there, and others go on where they were', async () => {
    start('worker.cjs', { step: 1000, idle: 30_000 });
    const found = await Promise.all([Uint8Array.of(8), Uint8Array.of(255), Uint8Array.of(6)].map(samplesOf));
    expect(found).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [0, 1],
      [0, 1, 2, 3, 4, 5],
    ]);
  });

  it('starts again after an idle time', async () => {
    start('worker.cjs', { step: 30_000, idle: 1 });
    expect(await samplesOf(Uint8Array.of(2))).toEqual([0, 1]);
    await new Promise((done) => setTimeout(done, 100));
    expect(await samplesOf(Uint8Array.of(4))).toEqual([0, 1, 2, 3]);
  });

  it('reports that packages are not installed', async () => {
    start('absent.cjs');
    await expect(samplesOf(Uint8Array.of(2))).rejects.toMatchObject({ isPackageAbsent: true });
    await expect(client.decodeSpeech(Uint8Array.of(2), 1)).rejects.toMatchObject({ isPackageAbsent: true });
  });

  it('decodes a recording to its end, and one that is left early', async () => {
    start();
    const wav = aWav(16_000, 40_000, (n) => 1000 * Math.sin(n / 5));
    for await (const chunks of client.decodeRecording(wav)) if (chunks.length > 0) break;
    expect(await samplesOf(wav)).toHaveLength(40_000);
  });

  it('decodes speech up to a length', async () => {
    start();
    const wav = aWav(8000, 16_000, (n) => 1000 * Math.sin(n / 5));
    expect(await client.decodeSpeech(wav, 3)).toHaveLength(48_000);
    await expect(client.decodeSpeech(wav, 1)).rejects.toThrow('cannot be decoded');
    await expect(client.decodeSpeech(Buffer.from('no sound'), 1)).rejects.toThrow('cannot be decoded');
  });
});
