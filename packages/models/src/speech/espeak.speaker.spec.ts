import { setTimeout as delay } from 'node:timers/promises';
import { type EspeakJob, SynthesisQueue } from 'avatar-chat-media';
import { EspeakSpeaker } from './espeak.speaker.js';

afterEach(() => jest.restoreAllMocks());

it('a voice is warmed up with all of it, as it will speak and once, while nobody else is spoken for', async () => {
  const jobs: EspeakJob[] = [];
  let isBusy = true;
  jest.spyOn(SynthesisQueue.prototype, 'prepare').mockReturnValue();
  jest.spyOn(SynthesisQueue.prototype, 'isBusy', 'get').mockImplementation(() => isBusy);
  jest.spyOn(SynthesisQueue.prototype, 'synthesize').mockImplementation(async (job) => {
    jobs.push(job as unknown as EspeakJob);
    return undefined;
  });
  const speaker = new EspeakSpeaker(() => ({ warn: () => undefined }) as never);
  const prepare = (language_code: string) =>
    speaker.prepare(undefined, { language_code, voice: { names: { espeak: 'f3' }, rate: 0.8 } });
  prepare('de');
  prepare('de');
  await delay(100);
  expect(jobs).toEqual([]);
  isBusy = false;
  while (jobs.length < 4) await delay(10);
  expect(new Set(jobs.map(({ voices }) => voices[0]))).toEqual(new Set(['de+f3']));
  expect(new Set(jobs.map(({ rate }) => rate))).toEqual(new Set([140]));
  prepare('de');
  await delay(20);
  expect(jobs.length).toBe(4);
  prepare('fr');
  while (jobs.length < 8) await delay(10);
  expect(jobs.at(-1)!.voices).toEqual(['fr+f3']);
});
