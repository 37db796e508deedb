import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection, mongo } from 'mongoose';
import { DatabaseTimeouts } from '../../src/platform/database/index.js';
import { aRecording, BOUNDED, createTestApp, onEachServer, type TestApp } from '../support/index.js';

onEachServer((server) => {
  let test: TestApp;
  const sent: { name: string; collection: string; maxTimeMS?: number }[] = [];
  beforeAll(async () => {
    const overrides = [{ provide: DatabaseTimeouts, useValue: { ...new DatabaseTimeouts(), start: 30_000 } }];
    test = await createTestApp({ server, overrides });
    const client = test.app.get<Connection>(getConnectionToken()).getClient();
    client.on('commandStarted', ({ commandName, command }: mongo.CommandStartedEvent) =>
      sent.push({ name: commandName, collection: String(command[commandName]), maxTimeMS: command.maxTimeMS }),
    );
  });
  afterAll(() => test.close());

  it('every command of a request ends in the server when its caller has left', async () => {
    const { call } = test;
    const token = await test.token('ann');
    const form = new FormData();
    form.set('avatar_id', 'ada');
    form.set('request', 'Hello');
    form.set('chat_type', 'voice');
    form.set('file', new Blob([new Uint8Array(aRecording(1))], { type: 'audio/wav' }), 'said.wav');
    const { session } = (await call({ path: '/connection', token })).body;
    const body = { avatar_id: 'ada', request: 'Hello', session };
    const turn = await call({ method: 'POST', path: '/chat', token, body, headers: { 'idempotency-key': 'k' } });
    expect(turn.status).toBe(201);
    expect((await call({ method: 'POST', path: '/chat', token, body: form })).status).toBe(201);
    const { _id } = turn.body.incoming;
    const rating = await call({ method: 'PUT', path: `/messages/${_id}/rating`, token, body: { rating: 'up' } });
    expect(rating.status).toBe(200);
    expect((await call({ path: '/chat?user_id=ann', token })).body.payload).toHaveLength(4);
    expect((await call({ path: `/chat?user_id=ann&before=${_id}`, token })).status).toBe(200);

    const limited = sent.filter(({ name }) => BOUNDED.includes(name));
    expect(limited.map(({ name }) => name)).toEqual(expect.arrayContaining(['find', 'insert', 'findAndModify']));
    expect(limited.filter(({ maxTimeMS }) => !(maxTimeMS! <= 1200))).toEqual([]);
  });
});
