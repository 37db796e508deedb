import { Doc, encode } from './bson.js';
import type { Collection } from './catalogue.js';
import { commands } from './commands.js';
import { ServerState } from './server-state.js';
import { prefix } from './records.js';

describe('damaged data', () => {
  let state: ServerState;
  let collection: Collection;
  const run = async (body: Doc) => {
    state.refresh();
    return commands.get(Object.keys(body)[0]!)!(state, { ...body, $db: 't' }, { id: 1, peer: 'test', open: () => 1 });
  };
  const keys = () => [...state.store.docs.getKeys({ start: prefix(collection.id), end: prefix(collection.id + 1) })];

  beforeEach(async () => {
    state = new ServerState(':memory:');
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
