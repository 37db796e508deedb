import { mongo } from 'mongoose';
import { type EmbeddedMongo, createEmbeddedMongo } from 'avatar-chat-embedded-mongo';

/** A store in memory and a client of it for the tests of a `describe`. @param use is given the client before all of them */
export function withClient(use: (client: mongo.MongoClient) => void): void {
  let server: EmbeddedMongo;
  let client: mongo.MongoClient;
  beforeAll(async () => {
    server = await createEmbeddedMongo({ path: ':memory:' });
    client = await new mongo.MongoClient(server.uri).connect();
    use(client);
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });
}
