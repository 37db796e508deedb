import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';
import { findBytes } from '../../src/platform/database/find-bytes.js';
import { createTestApp, onEachServer, type TestApp } from '../support/index.js';

const HALF_MEBIBYTE = 'x'.repeat(2 ** 19);

onEachServer((server) => {
  let test: TestApp;
  let connection: Connection;
  beforeAll(async () => {
    test = await createTestApp({ server });
    connection = test.app.get<Connection>(getConnectionToken());
    const things = Array.from({ length: 40 }, (_, n) => ({ _id: n as never, n, text: HALF_MEBIBYTE }));
    await connection.collection('things').insertMany(things);
  });
  afterAll(() => test.close());

  const read = (limit: number, skip = 0) =>
    findBytes(connection, {
      find: 'things',
      filter: { n: { $gte: 1 } },
      sort: { n: -1 },
      skip,
      limit,
      maxTimeMS: 60_000,
    });

  it('reads documents as a BSON array, up to the limit', async () => {
    const { batch, isWhole } = await read(3, 2);
    expect(isWhole).toBe(true);
    const found = mongo.BSON.deserialize(batch);
    expect(Object.values(found).map(({ n }: { n: number }) => n)).toEqual([37, 36, 35]);
    expect(Object.values(mongo.BSON.deserialize((await read(5, 38)).batch))).toHaveLength(1);
    expect(Object.values(mongo.BSON.deserialize((await read(5, 99)).batch))).toEqual([]);
  });

  it('reports that there are more if one reply does not hold them all', async () => {
    const { batch, isWhole } = await read(39);
    expect(isWhole).toBe(false);
    const came = Object.values(mongo.BSON.deserialize(batch)).map(({ n }: { n: number }) => n);
    expect(came.length).toBeGreaterThan(20);
    expect(came).toEqual(Array.from({ length: came.length }, (_, n) => 39 - n));
  });

  it('retries once if a connection was lost', async () => {
    const command = jest.spyOn(connection.db!, 'command');
    const broken = new mongo.MongoNetworkError('broken');
    command.mockRejectedValueOnce(broken);
    expect(Object.values(mongo.BSON.deserialize((await read(3)).batch))).toHaveLength(3);
    command.mockRejectedValueOnce(broken).mockRejectedValueOnce(broken);
    await expect(read(3)).rejects.toBe(broken);
    command.mockRestore();
  });

  it('throws an error of the database', async () => {
    const refused = findBytes(connection, {
      find: 'things',
      filter: { $no: 1 },
      sort: {},
      skip: 0,
      limit: 1,
      maxTimeMS: 60_000,
    });
    await expect(refused).rejects.toThrow(mongo.MongoServerError);
  });
});
