import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Logger } from '@nestjs/common';
import { mongo } from 'mongoose';
import { Owner } from '../../auth/index.js';
import type { FileUrls } from '../../files/index.js';
import type { MessageRepository } from '../../messages/index.js';
import { DatabaseUnavailableError, type FoundBytes } from '../../platform/database/index.js';
import { HistoryPages } from './history.pages.js';
import { HistoryReads } from './history.reads.js';

const ann = new Owner('default', 'ann');
/** The sizes of ann's answers, newest first, in bytes. */
let answers: number[];
/** How many messages each read requested, and the first of its replies. */
let asked: number[];
let replies: WeakRef<Uint8Array>[];
let inFlight: number;
let mostInFlight: number;
/** How many reads were in flight when the first of them ended. */
let firstInFlight: number | undefined;
/** How long each read takes, in milliseconds. */
let readMs: number;
/** The date of a message with a number. */
let dateOf: (n: number) => unknown;
let pages: HistoryPages;

/** Takes the messages from memory, as far as a page reads them. */
const messages = {
  async pageBytes(_owner: Owner, from: number | { date: number }, limit: number): Promise<FoundBytes> {
    asked.push(limit);
    mostInFlight = Math.max(mostInFlight, ++inFlight);
    if (readMs > 0) await sleep(readMs);
    firstInFlight ??= inFlight;
    inFlight--;
    const start = typeof from === 'number' ? from : answers.length - from.date;
    const found = answers.slice(start, start + limit).map((size, index) => ({
      _id: `m${start + index}`,
      date: dateOf(answers.length - start - index - 1),
      direction: 'incoming',
      answer: 'x'.repeat(size),
    }));
    const batch = mongo.BSON.serialize(Object.fromEntries(found.entries()));
    replies.push(new WeakRef(batch));
    return { batch, isWhole: true };
  },
} as unknown as MessageRepository;

const open = (limit: number, page = 1) => pages.open(ann, { limit, page });
const textOf = async (page: Buffer | Readable) =>
  String(page instanceof Readable ? Buffer.concat((await page.toArray()) as Buffer[]) : page);
const countIn = (text: string) => (JSON.parse(text) as { payload: unknown[] }).payload.length;

beforeEach(() => {
  answers = [];
  asked = [];
  replies = [];
  inFlight = 0;
  mostInFlight = 0;
  firstInFlight = undefined;
  readMs = 5;
  dateOf = (n) => n;
  pages = new HistoryPages(messages, new HistoryReads(), {} as FileUrls);
});

afterEach(() => jest.restoreAllMocks());

describe('a page of a history', () => {
  it('that its client does not read keeps none of the first reply', async () => {
    answers = Array.from({ length: 101 }, () => 100_000);
    const page = await open(100);
    expect(page).toBeInstanceOf(Readable);
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    for (let n = 0; n < 10 && replies[0]!.deref(); n++) {
      await sleep(10);
      collectGarbage();
    }
    expect(replies[0]!.deref() === undefined).toBe(true);
    expect(countIn(await textOf(page))).toBe(100);
  });

  it('of unknown size is read once at a time, until it is known how large the messages are', async () => {
    answers = [...Array.from({ length: 3 }, () => 100), ...Array.from({ length: 60 }, () => 100_000)];
    expect(countIn(await textOf(await open(1)))).toBe(1);
    asked = [];
    const all = await Promise.all(Array.from({ length: 10 }, () => open(60)));
    expect(asked.filter((limit) => limit > 20)).toHaveLength(1);
    for (const page of all) expect(countIn(await textOf(page))).toBe(60);
  });

  it('of small messages is read in one reply, and up to twelve at a time', async () => {
    answers = Array.from({ length: 500 }, () => 100);
    await open(50);
    asked = [];
    const all = await Promise.all(Array.from({ length: 30 }, () => open(100)));
    expect(asked).toEqual(Array(30).fill(101));
    expect(mostInFlight).toBe(12);
    for (const page of all) expect(countIn(await textOf(page))).toBe(100);
  });

  it('of a history that was seen whole counts as known', async () => {
    answers = [100, 100, 100];
    await open(20);
    await Promise.all(Array.from({ length: 30 }, () => open(100)));
    expect(mostInFlight).toBe(12);
  });

  it('is of unknown size again after those of 10,000 other users', async () => {
    answers = [100];
    readMs = 0;
    await open(20);
    const others = Array.from({ length: 10_000 }, (_, n) => new Owner('default', `user-${n}`));
    for (const other of others) await pages.open(other, { limit: 20, page: 1 });
    readMs = 5;
    const inFlightAtOnce = async (owner: Owner) => {
      firstInFlight = undefined;
      await Promise.all(Array.from({ length: 12 }, () => pages.open(owner, { limit: 20, page: 1 })));
      return firstInFlight;
    };
    expect([await inFlightAtOnce(others.at(-1)!), await inFlightAtOnce(ann)]).toEqual([12, 1]);
  });

  it('is complete if it is large and its dates are not numbers, as other software may write them', async () => {
    dateOf = (n) => new Date(n);
    answers = Array.from({ length: 30 }, () => 100_000);
    const { payload } = JSON.parse(await textOf(await open(30)));
    expect(payload.map(({ _id }: { _id: string }) => _id)).toEqual(answers.map((_, n) => `m${n}`));
    expect(payload[0]).toMatchObject({ date: new Date(29).toISOString(), answer: 'x'.repeat(100_000) });
  });

  it.each<[string, Error, string[]]>([
    ['is logged', new RangeError('x'), ['RangeError']],
    ['is not logged if the database is unavailable', new DatabaseUnavailableError(), []],
  ])('ends with an error that occurs midway, which %s', async (_, error, names) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    answers = Array.from({ length: 101 }, () => 100_000);
    const page = await open(100);
    jest.spyOn(messages, 'pageBytes').mockRejectedValueOnce(error);
    await expect(textOf(page)).rejects.toBe(error);
    expect(logged.mock.calls.map(([line]) => line.error)).toEqual(names);
  });
});
