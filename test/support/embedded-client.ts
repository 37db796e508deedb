import { mongo } from 'mongoose';
import { type EmbeddedMongo, createEmbeddedMongo } from 'avatar-chat-embedded-mongo';

/** An in-memory store and its client for the tests of a `describe`. @param use gets the client before all of them */
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
