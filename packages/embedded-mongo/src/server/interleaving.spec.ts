import { Doc, Long, decode, encode } from '../values/bson.js';
import { commands } from '../commands/commands.js';
import { Connection, ServerState } from './server-state.js';

/** Commands that take longer than their time slice. */
describe('a long command', () => {
  const CLIENT: Connection = { id: 1, open: () => 1 };
  const COUNT = 60;
  let state: ServerState;
  let turn: jest.SpyInstance;
  const run = async (body: Doc): Promise<any> => {
    state.refresh();
    const reply = await commands.get(Object.keys(body)[0]!)!(state, { ...body, $db: 't' }, CLIENT);
    return Buffer.isBuffer(reply) ? decode(reply) : reply;
  };
  /** Runs `work` while the next long command lets others run. */
  const meanwhile = (work: () => Promise<unknown>) =>
    turn.mockImplementationOnce(async () => {
      await work();
      state.refresh();
    });
  const document = (i: number) => ({ _id: i, a: i % 7, b: `text ${i % 5}`, tags: [i, i + 1] });

  beforeEach(async () => {
    state = new ServerState(':memory:');
    await run({ createIndexes: 'm', indexes: [{ key: { a: 1 }, name: 'a' }] });
    await run({ insert: 'm', documents: Array.from({ length: COUNT }, (_, i) => encode(document(i))) });
    // Every check of the clock advances it by three milliseconds, so a slice ends after a few documents.
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 3));
    turn = jest.spyOn(state, 'letOthersRun');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await state.close();
  });

  const inOrder = { find: 'm', filter: { b: 'text 3' }, sort: { _id: -1 }, batchSize: 1000 };
  it.each<[string, Doc, (reply: any) => unknown, unknown]>([
    ['count', { count: 'm', query: { b: 'text 1' } }, ({ n }) => n, 12],
    ['count with a limit', { count: 'm', query: { b: 'text 1' }, skip: 3, limit: 5 }, ({ n }) => n, 5],
    ['distinct', { distinct: 'm', key: 'b' }, ({ values }) => values.length, 5],
    ['find', { find: 'm', filter: { b: 'text 1' } }, ids, [1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51, 56]],
    ['find by an index', { find: 'm', filter: { a: 3, b: 'text 3' } }, ids, [3, 38]],
    ['find sorted', inOrder, ids, [58, 53, 48, 43, 38, 33, 28, 23, 18, 13, 8, 3]],
    [
      'find sorted without an index',
      { find: 'm', filter: { a: { $gte: 5 } }, sort: { b: 1, _id: -1 }, skip: 2, limit: 3 },
      ids,
      [20, 5, 41],
    ],
    ['aggregate', { aggregate: 'm', pipeline: [{ $match: { b: 'text 2' } }, { $count: 'n' }], cursor: {} }, first, 12],
  ])('lets others run: %s', async (_, command, of, expected) => {
    expect(of(await run(command))).toEqual(expected);
    expect(turn).toHaveBeenCalled();
  });

  it('continues where it was, and sees concurrent writes', async () => {
    meanwhile(() => run({ update: 'm', updates: [{ q: { a: 6 }, u: { $set: { a: 0 } }, multi: true }] }));
    const found = await run({ find: 'm', filter: { a: { $gte: 5 } }, sort: { b: 1, _id: 1 }, batchSize: 1000 });
    expect(ids(found)).toEqual([5, 40, 26, 12, 47, 33, 54, 19].sort(byText));
  });

  it('returns a document once, although it moves within the index', async () => {
    meanwhile(() => run({ insert: 'm', documents: [encode({ _id: 'new', a: [4, 5, 6] })] }));
    const found = await run({ find: 'm', filter: { a: { $gte: 0 } }, batchSize: 1000 });
    expect(ids(found).filter((id: unknown) => id === 'new')).toEqual(['new']);
  });

  it.each<[string, Doc]>([
    ['its index', { dropIndexes: 'm', index: 'a' }],
    ['its collection', { drop: 'm' }],
  ])('fails if %s is dropped', async (_, drop) => {
    meanwhile(() => run(drop));
    await expect(run({ find: 'm', filter: { a: { $gte: 0 } }, batchSize: 1000 })).rejects.toMatchObject({
      code: 175,
      codeName: 'QueryPlanKilled',
    });
  });

  it('is aborted when its time is over, however long the others take', async () => {
    const later = performance.now() + 60_000;
    meanwhile(async () => jest.spyOn(performance, 'now').mockReturnValue(later));
    await expect(run({ count: 'm', query: { b: 'x' }, maxTimeMS: 50_000 })).rejects.toMatchObject({ code: 50 });
  });

  it.each<[string, Doc[], unknown[]]>([
    ['$group', [{ $group: { _id: '$b', n: { $sum: 1 } } }, { $count: 'n' }], [5]],
    ['$unwind', [{ $unwind: '$tags' }, { $count: 'n' }], [120]],
    ['$facet', [{ $facet: { n: [{ $count: 'n' }] } }, { $project: { n: { $first: '$n.n' } } }], [60]],
    [
      '$lookup',
      [
        { $limit: 3 },
        { $lookup: { from: 'm', localField: 'a', foreignField: 'a', as: 'r' } },
        { $project: { n: { $size: '$r' } } },
      ],
      [9, 9, 9],
    ],
    ['$sort', [{ $set: { c: 1 } }, { $sort: { a: -1, _id: 1 } }, { $limit: 1 }, { $project: { n: '$_id' } }], [6]],
  ])('lets others run in the middle of a pipeline: %s', async (_, pipeline, expected) => {
    const found = documents(await run({ aggregate: 'm', pipeline, cursor: {} }));
    expect(found.map(({ n }) => n)).toEqual(expected);
    expect(turn).toHaveBeenCalled();
  });

  const everyPair = { from: 'm', localField: 'b', foreignField: 'b', as: 'r' };
  it('ends when its client disconnects', async () => {
    const connection: Connection = { ...CLIENT };
    turn.mockRestore();
    const aggregate = (): unknown =>
      commands.get('aggregate')!(
        state,
        { aggregate: 'm', pipeline: [{ $lookup: everyPair }, { $count: 'n' }], cursor: {}, $db: 't' },
        connection,
      );
    setImmediate(() => (connection.gone = true));
    await expect(aggregate()).rejects.toMatchObject({ code: 279, codeName: 'ClientDisconnect' });
  });

  it('counts only its own time, over all batches of a cursor', async () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { cursor } = await run({ find: 'm', batchSize: 3, maxTimeMS: 20 });
    now += 1000;
    const more = (): Promise<any> => run({ getMore: Long.fromValue(cursor.id), collection: 'm' });
    expect((await more()).cursor.nextBatch).toHaveLength(57);
    clock.mockImplementation(() => (now += 3));
    const pipeline = [{ $lookup: everyPair }, { $count: 'n' }];
    await expect(run({ aggregate: 'm', pipeline, cursor: {}, maxTimeMS: 20 })).rejects.toMatchObject({ code: 50 });
  });

  it('uses an index for $lookup if there is one', async () => {
    const read = jest.spyOn(state.records, 'read');
    const pipeline = [{ $match: { _id: 3 } }, { $lookup: { from: 'm', localField: 'a', foreignField: 'a', as: 'r' } }];
    const [found] = documents(await run({ aggregate: 'm', pipeline, cursor: {} }));
    expect(found!.r.map(({ _id }: Doc) => _id)).toEqual([3, 10, 17, 24, 31, 38, 45, 52, 59]);
    expect(read).toHaveBeenCalledTimes(10);
  });

  it('continues with a cursor, which may take several slices too', async () => {
    const { cursor } = await run({ find: 'm', filter: { b: 'text 1' }, batchSize: 3 });
    expect(cursor.firstBatch).toHaveLength(3);
    turn.mockClear();
    const more = await run({ getMore: Long.fromValue(cursor.id), collection: 'm' });
    expect(more.cursor.nextBatch).toHaveLength(9);
    expect(turn).toHaveBeenCalled();
  });

  describe('a cursor sorted without an index', () => {
    const open = async (command: Doc) => {
      const reply = await run(command);
      const getMore = { getMore: Long.fromValue(reply.cursor.id), collection: 'm' };
      const more = async () => (await run(getMore)).cursor.nextBatch.map(({ _id }: Doc) => _id);
      return { found: ids(reply), more };
    };
    const filter = { a: 3 };
    const find = { find: 'm', filter, sort: { b: -1, _id: 1 }, batchSize: 1 };
    const remove = (_id: unknown) => run({ delete: 'm', deletes: [{ q: { _id }, limit: 1 }] });
    const put = (doc: Doc) => run({ insert: 'm', documents: [encode(doc)] });
    const set = (_id: unknown, $set: Doc) => run({ update: 'm', updates: [{ q: { _id }, u: { $set } }] });
    const sorted = [24, 59, 3, 38, 17, 52, 31, 10, 45];

    // The sort takes one slice.
    beforeEach(() => jest.spyOn(performance, 'now').mockReturnValue(0));

    it.each<[string, Doc]>([
      ['find', find],
      [
        'aggregate',
        {
          aggregate: 'm',
          pipeline: [{ $match: filter }, { $sort: find.sort }, { $set: { c: 1 } }],
          cursor: { batchSize: 1 },
        },
      ],
    ])('returns only what still matches: %s', async (_, command) => {
      const { found, more } = await open(command);
      await set(38, { a: 4 });
      await remove(45);
      expect([...found, ...(await more())]).toEqual([24, 59, 3, 17, 52, 31, 10]);
    });

    it.each([3, 4])('does not return another document in place of the last one: with the value %i', async (a) => {
      await put({ _id: 'last', a: 3, b: 'text 0' });
      const { found, more } = await open(find);
      await remove('last');
      await put({ _id: 'other', a, b: 'text 4' });
      expect([...found, ...(await more())]).toEqual(sorted);
    });

    it('returns as many as its limit if that many still match', async () => {
      const { found, more } = await open({ ...find, skip: 1, limit: 4 });
      await remove(38);
      expect([...found, ...(await more())]).toEqual([59, 3, 17, 52]);
    });
  });
});

function documents({ cursor }: any): Doc[] {
  return cursor.firstBatch;
}

function ids(reply: any): unknown[] {
  return documents(reply).map(({ _id }) => _id);
}

/** Sorts by `b`, then by `_id`. */
function byText(one: number, other: number): number {
  return (one % 5) - (other % 5) || one - other;
}

function first(reply: any): unknown {
  return documents(reply)[0]?.n;
}
