import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mongo } from 'mongoose';
import { Owner } from '../auth/index.js';
import type { FileUrls } from '../files/index.js';
import type { MessageRepository } from '../messages/index.js';
import type { FoundBytes } from '../platform/database/index.js';
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
let pages: HistoryPages;

/** Takes the messages from memory, as far as a page reads them. */
const messages = {
  async pageBytes(_owner: Owner, from: number | { date: number }, limit: number): Promise<FoundBytes> {
    asked.push(limit);
    mostInFlight = Math.max(mostInFlight, ++inFlight);
    await sleep(5);
    inFlight--;
    const start = typeof from === 'number' ? from : answers.length - from.date;
    const found = answers.slice(start, start + limit).map((size, index) => ({
      _id: `m${start + index}`,
      date: answers.length - start - index - 1,
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
  pages = new HistoryPages(messages, new HistoryReads(), {} as FileUrls);
});

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
    answers = [...Array.from({ length: 3 }, () => 100), ...Array.from({ length: 150 }, () => 100_000)];
    expect(countIn(await textOf(await open(1)))).toBe(1);
    asked = [];
    const all = await Promise.all(Array.from({ length: 10 }, () => open(150)));
    expect(asked.filter((limit) => limit > 20)).toHaveLength(1);
    for (const page of all) expect(countIn(await textOf(page))).toBe(150);
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
});
