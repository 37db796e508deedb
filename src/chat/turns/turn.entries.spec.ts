import { Logger } from '@nestjs/common';
import { DatabaseUnavailableError } from '../../platform/database/index.js';
import { TurnEntries } from './turn.entries.js';

let logged: jest.SpyInstance;
beforeEach(() => {
  jest.useFakeTimers();
  logged = jest.spyOn(Logger.prototype, 'debug').mockImplementation();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const MUTE = { engine: { kind: 'mute' } };
const BROKEN = { engine: { kind: 'broken' } };
const SOUND = { engine: { kind: 'sound' } };
const UNKNOWN = { engine: { kind: 'unknown' } };

/** What engines of these kinds are told a second after the start. */
const toldAfterStart = async (findResolvedProject: () => Promise<object | undefined>) => {
  const told: string[] = [];
  const reading = async ({ kind }: { kind: string }) => {
    told.push(`read ahead: ${kind}`);
    if (kind === 'broken') throw new Error('x');
  };
  const known = new Map([
    ['mute', {}],
    ['broken', { readAhead: reading }],
    ['sound', { readAhead: reading }],
  ]);
  const catalogue = {
    addCheck: () => undefined,
    findResolvedProject,
    avatars: () => new Set([UNKNOWN, MUTE, BROKEN, SOUND]),
  };
  const engines = {
    find: (kind: string) => known.get(kind),
    prepare: async ({ kind }: { kind: string }, language: string) => void told.push(`prepare: ${kind} ${language}`),
  };
  const entries = new TurnEntries(catalogue as never, engines as never, {} as never);
  entries.onApplicationBootstrap();
  expect(told).toEqual([]);
  await jest.advanceTimersByTimeAsync(1000);
  return told;
};

describe('soon after the start', () => {
  it('the first avatar is prepared, and engines read ahead, even if one of them fails', async () => {
    const languages = [{ language_code: 'de' }, { language_code: 'en' }];
    const told = await toldAfterStart(async () => ({ avatars: [SOUND, MUTE], languages }));
    expect(told).toEqual(['prepare: sound de', 'read ahead: broken', 'read ahead: sound']);
    expect(logged).toHaveBeenCalledWith(expect.objectContaining({ error: 'Error' }));
  });

  it('engines read ahead, even if the default project cannot be read', async () => {
    const told = await toldAfterStart(() => Promise.reject(new DatabaseUnavailableError()));
    expect(told).toEqual(['read ahead: broken', 'read ahead: sound']);
    expect(logged).toHaveBeenCalledWith(expect.objectContaining({ error: 'DatabaseUnavailableError' }));
  });

  it.each<[string, object | undefined]>([
    ['without avatars', { avatars: [], languages: [] }],
    ['that was removed from the database', undefined],
  ])('nothing is prepared for a default project %s', async (_, resolved) => {
    expect(await toldAfterStart(async () => resolved)).toEqual(['read ahead: broken', 'read ahead: sound']);
    expect(logged).toHaveBeenCalledTimes(1);
  });
});
