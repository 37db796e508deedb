import { Long } from './bson.js';
import { Cursors } from './cursors.js';

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

  /** Gives documents without end. */
  const open = (): Long => cursors.start('db.things', { next: () => Buffer.from('doc'), pause: () => undefined }, 1).id;
  const more = (id: Long) => cursors.more('db.things', id, 1).batch.length;

  it('closes those that nobody asked for ten minutes', () => {
    const [idle, used] = [open(), open()];
    jest.advanceTimersByTime(9 * 60_000);
    expect(more(used)).toBe(1);
    jest.advanceTimersByTime(2 * 60_000);
    expect(more(used)).toBe(1);
    expect(() => more(idle)).toThrow(expect.objectContaining({ code: 43, codeName: 'CursorNotFound' }));
  });

  it('closes the oldest of more than a thousand', () => {
    const ids = Array.from({ length: 1001 }, open);
    expect(() => more(ids[0]!)).toThrow(expect.objectContaining({ code: 43 }));
    expect([more(ids[1]!), more(ids[1000]!)]).toEqual([1, 1]);
  });

  it('pauses a source also when it fails, and opens no cursor', () => {
    const pause = jest.fn();
    const fails = () => {
      throw new Error('damaged');
    };
    expect(() => cursors.start('db.things', { next: fails, pause })).toThrow('damaged');
    expect(pause).toHaveBeenCalledTimes(1);
  });
});
