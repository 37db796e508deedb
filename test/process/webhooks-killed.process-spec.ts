import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mongoose';
import { aUser, createTestApp, onEachServer, startReceiver, startService, TestClock } from '../support/index.js';

const MINUTE = 60_000;

onEachServer((server) => {
  it('webhooks are taken over from a process that was killed, and no stored message goes unpublished', async () => {
    const receiver = await startReceiver();
    const dir = await mkdtemp(join(tmpdir(), 'avatar-chat-webhooks-'));
    const catalogue = JSON.parse(await readFile('catalogue/default.json', 'utf8'));
    catalogue.projects[0].webhooks = [{ name: 'crm', url: receiver.url, events: ['message.created'] }];
    await writeFile(join(dir, 'catalogue.json'), JSON.stringify(catalogue));
    const uri = new URL(`killed_${randomBytes(6).toString('hex')}`, server.uri.replace(/\/?$/, '/')).href;
    const doomed = await startService({
      MONGODB_URI: uri,
      JWT_SECRET: randomBytes(32).toString('hex'),
      CATALOGUE_FILE: join(dir, 'catalogue.json'),
    });
    receiver.answer = () => undefined; // so that it is killed while it waits
    const post = async (path: string, body: object, more = {}) => {
      const headers = { 'content-type': 'application/json', ...more };
      return (await fetch(doomed.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    const acknowledged: string[] = [];
    const talk = async () => {
      const { jwt } = (await post('/jwt', { user_id: aUser() })) as { jwt: string };
      for (;;) {
        const said = { avatar_id: 'ada', request: 'Hi' };
        const turn = (await post('/chat', said, { authorization: `Bearer ${jwt}` })) as Record<string, { _id: string }>;
        if (turn.incoming) acknowledged.push(turn.outgoing!._id, turn.incoming._id);
      }
    };
    const talking = Array.from({ length: 5 }, () => talk().catch(() => undefined));
    try {
      await receiver.until(() => acknowledged.length > 30 && receiver.received.length > 0);
    } finally {
      doomed.process.kill('SIGKILL');
      await Promise.all([...talking, doomed.ended]);
    }
    const before = receiver.received.length;
    receiver.answer = (response) => void response.writeHead(204).end();
    // By its clock the leases of the killed process have expired.
    const clock = new TestClock(Date.now() + 10 * MINUTE);
    const other = await createTestApp({ server, clock, config: { database: { kind: 'mongodb', uri } } });
    const connection = await createConnection(uri).asPromise();
    const stored = await connection.collection('messages').find().toArray();
    await connection.close();
    const ids = stored.map(({ _id }) => String(_id));
    expect(ids).toEqual(expect.arrayContaining(acknowledged));
    const told = () => new Set(receiver.received.slice(before).map(({ headers }) => headers['webhook-id']));
    await receiver.until(() => told().size === ids.length);
    expect(told()).toEqual(new Set(ids.map((id) => `evt_${id}`)));
    await other.close();
    await rm(dir, { recursive: true });
    await receiver.close();
  });
});
