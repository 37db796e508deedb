import { Doc, encode } from '../values/bson.js';
import type { Collection } from './catalogue.js';
import { commands } from '../commands/commands.js';
import { CommandError } from '../wire/errors.js';
import { ServerState } from '../server/server-state.js';
import { prefix } from './records.js';
import { sweep } from '../indexes/ttl.js';

describe('damaged data', () => {
  let state: ServerState;
  let collection: Collection;
  let warnings: string[];
  const run = async (body: Doc) => {
    state.refresh();
    return commands.get(Object.keys(body)[0]!)!(state, { ...body, $db: 't' }, { id: 1, open: () => 1 });
  };
  const keys = () => [...state.store.docs.getKeys({ start: prefix(collection.id), end: prefix(collection.id + 1) })];

  beforeEach(async () => {
    warnings = [];
    state = new ServerState(':memory:', { warn: (message) => warnings.push(message) });
    await run({ insert: 'm', documents: [encode({ _id: 1, n: 1 }), encode({ _id: 2, n: 2 })] });
    state.refresh();
    collection = state.catalogue.get('t.m')!;
  });
  afterEach(() => state.close());

  const damaged = { codeName: 'InternalError', message: 'a document of t.m is damaged on the disk' };

  it('is reported as an error, not returned', async () => {
    const [first] = keys();
    const record = Buffer.from(state.store.docs.getBinary(first!)!);
    record[record.length - 3]! ^= 1;
    await state.store.write(() => state.store.docs.putSync(first!, record));
    await expect(run({ find: 'm', filter: { n: 1 } })).rejects.toMatchObject(damaged);
    await expect(run({ createIndexes: 'm', indexes: [{ key: { n: 1 }, name: 'n' }] })).rejects.toMatchObject(damaged);
    expect(state.catalogue.get('t.m')!.indexes).toHaveLength(1);
    const lookup = { $lookup: { from: 'm', localField: 'n', foreignField: 'n', as: 'r' } };
    await run({ insert: 'other', documents: [encode({ _id: 1, n: 1 })] });
    await expect(run({ aggregate: 'other', pipeline: [lookup], cursor: {} })).rejects.toMatchObject(damaged);
    expect(await run({ count: 'm' })).toEqual({ n: 2 });
  });

  it('ends the expiry of its own index only', async () => {
    for (const name of ['m', 'other']) {
      const indexes = [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 1 }];
      await run({ createIndexes: name, indexes });
      await run({ insert: name, documents: [encode({ _id: 'old', at: new Date(0) })] });
    }
    const [, , old] = keys();
    await state.store.write(() => state.store.docs.removeSync(old!));
    expect(await sweep(state, 10_000)).toBe(1);
    expect(await run({ count: 'other' })).toEqual({ n: 0 });
    expect(warnings).toEqual([
      'the expired documents of t.m (index ttl) cannot be removed: an index of t.m is damaged on the disk',
    ]);
  });

  it('expiry tries again later if the store cannot be written to', async () => {
    await run({ createIndexes: 'm', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 1 }] });
    jest.spyOn(state, 'write').mockRejectedValueOnce(new CommandError('OutOfDiskSpace', 'the disk is full'));
    await expect(sweep(state, 10_000)).rejects.toMatchObject({ codeName: 'OutOfDiskSpace' });
    expect(warnings).toEqual([]);
  });

  it('in an index is distinguished from a missing document', async () => {
    const [first] = keys();
    await state.store.write(() => state.store.docs.removeSync(first!));
    await expect(run({ count: 'm', query: { _id: 1, n: 1 } })).rejects.toMatchObject({
      codeName: 'InternalError',
      message: 'an index of t.m is damaged on the disk',
    });
    expect(await run({ insert: 'm', documents: [encode({ _id: 1 })] })).toMatchObject({
      n: 0,
      writeErrors: [{ code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: null } }],
    });
  });
});
