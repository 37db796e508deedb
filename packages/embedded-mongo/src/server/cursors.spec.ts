import { Long } from '../values/bson.js';
import { Cursors, type Source } from './cursors.js';
import { LATER } from './slice.js';

describe('Cursors', () => {
  let cursors: Cursors;
  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    cursors = new Cursors();
  });
  afterEach(() => {
    cursors.close();
    jest.useRealTimers();
  });

  /** Yields documents endlessly. */
  const open = async (): Promise<Long> =>
    (await cursors.start('db.things', { next: () => Buffer.from('doc'), pause: () => undefined }, 1)).id;
  const more = async (id: Long) => (await cursors.more('db.things', id, 1)).batch.length;

  it('closes cursors that have been idle for ten minutes', async () => {
    const [idle, used] = [await open(), await open()];
    jest.advanceTimersByTime(9 * 60_000);
    expect(await more(used)).toBe(1);
    jest.advanceTimersByTime(2 * 60_000);
    expect(await more(used)).toBe(1);
    await expect(more(idle)).rejects.toThrow(expect.objectContaining({ code: 43, codeName: 'CursorNotFound' }));
  });

  it('keeps an idle cursor whose client asked for that', async () => {
    const source = { next: () => Buffer.from('doc'), pause: () => undefined, lasting: true };
    const { id } = await cursors.start('db.things', source, 1);
    jest.advanceTimersByTime(60 * 60_000);
    expect(await more(id)).toBe(1);
  });

  it('closes the oldest cursor when more than a thousand are open', async () => {
    const ids = await Promise.all(Array.from({ length: 1001 }, open));
    await expect(more(ids[0]!)).rejects.toThrow(expect.objectContaining({ code: 43 }));
    expect([await more(ids[1]!), await more(ids[1000]!)]).toEqual([1, 1]);
  });

  it('pauses a source even if it fails, and opens no cursor', async () => {
    const pause = jest.fn();
    const fails = () => {
      throw new Error('damaged');
    };
    await expect(cursors.start('db.things', { next: fails, pause })).rejects.toThrow('damaged');
    expect(pause).toHaveBeenCalledTimes(1);
  });

  it('closes a cursor whose source fails, since what it had read is lost', async () => {
    const documents = [Buffer.from('a'), Buffer.from('b'), undefined];
    const next = () => {
      if (!documents[0]) throw new Error('damaged');
      return documents.shift();
    };
    const { id } = await cursors.start('db.things', { next, pause: () => undefined }, 1);
    await expect(more(id)).rejects.toThrow('damaged');
    await expect(more(id)).rejects.toMatchObject({ code: 43 });
  });

  it('lets others run while a source is not ready, and rejects a second command on the same cursor', async () => {
    const gives: Array<ReturnType<Source['next']>> = [
      Buffer.from('a'),
      Buffer.from('b'),
      LATER,
      LATER,
      Buffer.from('c'),
      undefined,
    ];
    const pause = jest.fn();
    const turns: Array<() => void> = [];
    cursors.close();
    cursors = new Cursors(() => new Promise((resolve) => turns.push(resolve)));
    const { id } = await cursors.start('db.things', { next: () => gives.shift(), pause }, 1);
    const first = cursors.more('db.things', id, 0);
    await expect(more(id)).rejects.toMatchObject({ code: 12051, codeName: 'CursorInUse' });
    expect(pause).toHaveBeenCalledTimes(2);
    turns.shift()!();
    await Promise.resolve();
    turns.shift()!();
    expect(await first).toEqual({ batch: [Buffer.from('b'), Buffer.from('c')], id: Long.ZERO });
  });
});
