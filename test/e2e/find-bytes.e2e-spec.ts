import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';
import { findBytes } from '../../src/database/find-bytes.js';
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
    findBytes(connection, { find: 'things', filter: { n: { $gte: 1 } }, sort: { n: -1 }, skip, limit });

  it('reads documents as a BSON array, as many as were asked for', async () => {
    const found = mongo.BSON.deserialize((await read(3, 2))!);
    expect(Object.values(found).map(({ n }: { n: number }) => n)).toEqual([37, 36, 35]);
    expect(Object.values(mongo.BSON.deserialize((await read(5, 38))!))).toHaveLength(1);
    expect(Object.values(mongo.BSON.deserialize((await read(5, 99))!))).toEqual([]);
  });

  it('leaves what does not come in one answer to the cursors of the driver', async () => {
    await expect(read(39)).resolves.toBeUndefined();
  });

  it('throws what the database refuses', async () => {
    const refused = findBytes(connection, { find: 'things', filter: { $no: 1 }, sort: {}, skip: 0, limit: 1 });
    await expect(refused).rejects.toThrow(mongo.MongoServerError);
  });
});
