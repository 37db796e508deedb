import { Doc, decode, encode } from '../values/bson.js';
import { ServerState } from '../server/server-state.js';
import { sweep } from '../indexes/ttl.js';
import { QueryScan } from './query-scan.js';
import { plan } from './plan.js';
import { commands } from '../commands/commands.js';

describe('plan', () => {
  let state: ServerState;
  const run = (name: string, body: Doc) => {
    state.refresh();
    return commands.get(name)!(state, { [name]: 'm', $db: 't', ...body }, { id: 1, open: () => 1 });
  };
  const collection = () => {
    state.refresh();
    return state.catalogue.get('t.m')!;
  };
  const user = { project_id: 'p', user_id: 'u' };
  const newest = [
    ['date', -1],
    ['_id', -1],
  ] as [string, number][];

  beforeAll(async () => {
    state = new ServerState(':memory:');
    const key = { project_id: 1, user_id: 1, date: -1, _id: -1 };
    await run('createIndexes', {
      indexes: [
        { key, name: 'page' },
        { key: { tags: 1, n: 1 }, name: 'tags' },
      ],
    });
    const docs = Array.from({ length: 100 }, (_, i) => ({
      _id: `m${i}`,
      ...user,
      date: new Date(i >> 1),
      n: i,
      tags: ['a', 'b'],
    }));
    for (const doc of docs) await state.write(() => state.records.insert(state.collection('t.m'), encode(doc), doc));
  });
  afterAll(() => state.close());

  it('reads a page as one range of the index, in order, with nothing left to test', () => {
    const found = plan(collection(), user, newest);
    expect(found).toMatchObject({ index: { spec: { name: 'page' } }, sorted: true, covered: true, reverse: false });
    expect(found.ranges).toHaveLength(1);
    expect(
      plan(
        collection(),
        user,
        newest.map(([path, order]) => [path, -order]),
      ).reverse,
    ).toBe(true);
    expect(
      plan(collection(), user, [
        ['date', -1],
        ['_id', 1],
      ]).sorted,
    ).toBe(false);
  });

  it('reads the page before a message as two ranges, with nothing left to test', () => {
    const date = new Date(20);
    const filter = { ...user, $or: [{ date: { $lt: date } }, { date, _id: { $lt: 'm41' } }] };
    const found = plan(collection(), filter, newest);
    expect(found).toMatchObject({ index: { spec: { name: 'page' } }, sorted: true, covered: true });
    expect(found.ranges).toHaveLength(2);
    const scan = new QueryScan(state.store, state.records, {
      collection: collection(),
      filter,
      sort: newest,
      skip: 0,
      limit: 3,
    });
    const keys = jest.spyOn(state.store.docs, 'getBinaryFast');
    expect(scan.all()).toHaveLength(3);
    expect(keys).toHaveBeenCalledTimes(3);
    keys.mockRestore();
  });

  it('does not read the documents that it skips or counts', async () => {
    const reads = jest.spyOn(state.store.docs, 'getBinaryFast');
    const query = { collection: collection(), filter: user, sort: newest, skip: 90, limit: 5 };
    expect(new QueryScan(state.store, state.records, query).all()).toHaveLength(5);
    expect(reads).toHaveBeenCalledTimes(5);
    expect(await new QueryScan(state.store, state.records, { ...query, skip: 0, limit: 0 }).count()).toBe(100);
    expect(reads).toHaveBeenCalledTimes(5);
    reads.mockRestore();
  });

  it.each<[Doc, string | undefined, boolean]>([
    [{ _id: 'm1' }, '_id_', true],
    [{ _id: { $in: ['m1', 'm2'] } }, '_id_', true],
    [{ ...user, date: { $gte: new Date(1), $lt: new Date(9) } }, 'page', true],
    [{ ...user, date: { $gte: new Date(1), $lt: 'x' } }, 'page', false],
    [{ ...user, n: 5 }, 'page', false],
    [{ project_id: null }, 'page', false],
    [{ user_id: 'u' }, undefined, false],
    [{ tags: 'a' }, 'tags', false],
    [{ tags: ['a', 'b'] }, undefined, false],
    [{}, undefined, true],
  ])('%j uses %s', (filter, name, covered) => {
    const found = plan(collection(), filter, []);
    expect([found.index?.spec.name, found.covered]).toEqual([name, covered]);
  });

  it('returns a document of a multikey index once', async () => {
    const query = { collection: collection(), filter: { tags: { $gte: 'a' } }, sort: [], skip: 0, limit: 0 };
    expect(await new QueryScan(state.store, state.records, query as never).count()).toBe(100);
  });

  it('removes expired documents, and nothing else', async () => {
    await run('createIndexes', { indexes: [{ key: { date: 1 }, name: 'ttl', expireAfterSeconds: 10 }] });
    expect(await sweep(state, 10_000 + 9)).toBe(20);
    expect(await sweep(state, 10_000 + 9)).toBe(0);
    const dropped = run('dropIndexes', { index: 'ttl' });
    // It still sees the index, and finds it gone when it runs.
    expect(await sweep(state, 10_000_000)).toBe(0);
    await dropped;
    state.refresh();
    expect(
      await new QueryScan(state.store, state.records, {
        collection: collection(),
        filter: {},
        sort: [],
        skip: 0,
        limit: 0,
      }).count(),
    ).toBe(80);
  });

  it('removes documents of which the earliest date in an array has expired', async () => {
    const past = new Date(0);
    const future = new Date(1e12);
    const arrays = {
      expired: [{ at: past }, { b: 1 }],
      earliest: [{ at: future }, { at: past }, { at: 'text' }],
      later: [{ at: future }, { b: 1 }],
      none: [{ at: 'text' }, { at: 0 }],
      empty: [],
    };
    await run('createIndexes', {
      createIndexes: 'ttl',
      indexes: [{ key: { 'a.at': 1 }, name: 'ttl', expireAfterSeconds: 1 }],
    });
    await run('insert', { insert: 'ttl', documents: Object.entries(arrays).map(([_id, a]) => encode({ _id, a })) });
    expect(await sweep(state, 10_000)).toBe(2);
    state.refresh();
    const left = state.catalogue.get('t.ttl')!;
    const scan = new QueryScan(state.store, state.records, {
      collection: left,
      filter: {},
      sort: [],
      skip: 0,
      limit: 0,
    });
    expect(scan.all().map(({ bytes }) => decode(bytes)._id)).toEqual(['later', 'none', 'empty']);
  });
});
