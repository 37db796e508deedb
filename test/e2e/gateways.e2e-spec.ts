import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Controller, Module } from '@nestjs/common';
import {
  ClientProxyFactory,
  EventPattern,
  KafkaContext,
  MessagePattern,
  NatsContext,
  Payload,
  RmqContext,
  Server,
  Transport,
} from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { CatalogueService, CurrentUser, type Owner, Public, ServiceError } from '../../src/index.js';
import { anyServer, createTestApp, freePort, type TestApp } from '../support/index.js';

const connected: string[] = [];
const events: unknown[] = [];

@WebSocketGateway({ path: '/closed' })
class ClosedGateway {
  handleConnection() {
    connected.push('closed');
  }
  @SubscribeMessage('whoami')
  whoAmI(@CurrentUser() { user_id, project_id }: Owner, @MessageBody() data: unknown) {
    return { event: 'you', data: { user_id, project_id, data } };
  }
  @SubscribeMessage('fail')
  fail() {
    throw new ServiceError(409, 'busy_today', 'It is busy today.');
  }
}
@WebSocketGateway({ path: '/mixed' })
class MixedGateway {
  handleConnection() {
    connected.push('mixed');
  }
  @Public()
  @SubscribeMessage('hello')
  hello() {
    return { event: 'hello', data: {} };
  }
  @Public()
  @SubscribeMessage('whose')
  whose(@CurrentUser() owner: Owner | undefined) {
    return { event: 'whose', data: { user_id: owner?.user_id ?? null } };
  }
  @SubscribeMessage('whoami')
  whoAmI(@CurrentUser() { user_id }: Owner) {
    return { event: 'you', data: { user_id } };
  }
}
@Public()
@WebSocketGateway({ path: '/public' })
class PublicGateway {
  @SubscribeMessage('hello')
  hello() {
    return { event: 'hello', data: {} };
  }
}
@WebSocketGateway()
class PathlessGateway {
  @SubscribeMessage('whoami')
  whoAmI(@CurrentUser() { user_id }: Owner) {
    return { event: 'you', data: { user_id } };
  }
}
@Controller()
class RpcController {
  @MessagePattern('whoami')
  whoAmI(@CurrentUser() { user_id, project_id }: Owner) {
    return { user_id, project_id };
  }
  @Public()
  @MessagePattern('hello')
  hello() {
    return 'hello';
  }
  @EventPattern('note')
  note(@Payload() data: unknown) {
    events.push(data);
  }
}
@Module({ providers: [ClosedGateway, MixedGateway, PublicGateway], controllers: [RpcController] })
class MessagesModule {}
@Module({ providers: [PathlessGateway] })
class PathlessModule {}

/** Its clients are like those of Socket.IO: they come with their handshake, not with a request, and have `disconnect`. */
class HandshakeAdapter extends WsAdapter {
  override bindClientConnect(server: any, callback: (client: object) => void): void {
    super.bindClientConnect(server, (client: WebSocket, { headers }: IncomingMessage) =>
      callback(Object.assign(client, { handshake: { headers }, disconnect: () => client.close(4999) })),
    );
  }
}

/** A transport without a network, whose messages have the context of any other. */
class DirectServer extends Server {
  listen(done: () => void) {
    done();
  }
  close() {}
  on() {}
  unwrap<T>() {
    return this as unknown as T;
  }
  async ask(pattern: string, data: unknown, context: unknown) {
    const reply = await this.getHandlerByPattern(pattern)!(data, context);
    return firstValueFrom(this.transformToObservable(reply)).catch((error: unknown) => error);
  }
}

let test: TestApp;
let port: number;
beforeAll(async () => {
  test = await createTestApp({
    server: anyServer(),
    modules: [MessagesModule],
    onApp: (app) => app.useWebSocketAdapter(new WsAdapter(app)),
  });
  port = await test.listen();
});
afterAll(() => test.close());
beforeEach(() => connected.splice(0));

const connect = (path: string, token?: string, protocols: string[] = [], at = port) =>
  new WebSocket(`ws://127.0.0.1:${at}${path}`, protocols, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
/** The first event: a message, or the close code. */
const first = async (socket: WebSocket) =>
  Promise.race([
    once(socket, 'message').then(([data]) => JSON.parse(String(data)) as Record<string, any>),
    once(socket, 'close').then(([code, reason]) => `${code} ${reason}`),
  ]);
const ask = async (socket: WebSocket, event: string, data?: unknown) => {
  if (socket.readyState === WebSocket.CONNECTING) await once(socket, 'open');
  socket.send(JSON.stringify({ event, data }));
  return first(socket);
};

describe('a gateway', () => {
  it('gets the user of the token in its handshake', async () => {
    const socket = connect('/closed', await test.token('ann'));
    const you = { user_id: 'ann', project_id: 'default' };
    expect(await ask(socket, 'whoami', 7)).toEqual({ event: 'you', data: { ...you, data: 7 } });
    expect(connected).toEqual(['closed']);
    socket.close();
  });

  it('passes a public handler no user, even of a known client', async () => {
    const socket = connect('/mixed', await test.token('ann'));
    expect(await ask(socket, 'whoami')).toEqual({ event: 'you', data: { user_id: 'ann' } });
    expect(await ask(socket, 'whose')).toEqual({ event: 'whose', data: { user_id: null } });
    socket.close();
  });

  it('accepts the token as a subprotocol, as browsers send it', async () => {
    const socket = connect('/closed', undefined, [`bearer.${await test.token('bob')}`]);
    expect(await ask(socket, 'whoami')).toMatchObject({ event: 'you', data: { user_id: 'bob' } });
    socket.close();
  });

  it.each<[string, string | undefined, string]>([
    ['without a token', undefined, '4401 missing_token'],
    ['with an invalid token', 'a.b.c', '4401 invalid_token'],
  ])('is closed %s, and its own handlers are not called', async (_, token, end) => {
    const socket = connect('/closed', token);
    await once(socket, 'open');
    socket.send(JSON.stringify({ event: 'whoami' }));
    const heard: unknown[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    const [code, reason] = await once(socket, 'close');
    expect(`${code} ${reason}`).toBe(end);
    expect(connected).toEqual([]);
    for (const one of heard) expect(one).toMatchObject({ event: 'exception', data: { error: end.slice(5) } });
  });

  it('closes when its token has expired, at the next message', async () => {
    const [token, late] = [await test.token('ann'), await test.token('ann')];
    const socket = connect('/closed', token);
    expect(await ask(socket, 'whoami')).toMatchObject({ event: 'you' });
    test.clock.advance(86_400_000);
    const ended = once(socket, 'close');
    expect(await ask(socket, 'whoami')).toMatchObject({
      event: 'exception',
      data: { result: 'failure', status: 403, error: 'token_expired' },
    });
    expect((await ended)[0]).toBe(4403);
    expect((await once(connect('/closed', late), 'close'))[0]).toBe(4403);
  });

  it('closes when its project is removed', async () => {
    const catalogue = test.app.get(CatalogueService);
    await catalogue.addProject('short');
    const socket = connect('/closed', await test.token('ann', 'short'));
    expect(await ask(socket, 'whoami')).toMatchObject({ event: 'you' });
    await catalogue.removeProject('short');
    expect(await ask(socket, 'whoami')).toMatchObject({ data: { error: 'project_not_found' } });
  });

  it('sends errors of the service with the error body', async () => {
    const socket = connect('/closed', await test.token('ann'));
    expect(await ask(socket, 'fail')).toMatchObject({ event: 'exception', data: { status: 409, error: 'busy_today' } });
    socket.close();
  });

  it('may have a public handler, and is closed except for that', async () => {
    const socket = connect('/mixed');
    expect(await ask(socket, 'hello')).toEqual({ event: 'hello', data: {} });
    expect(await ask(socket, 'whoami')).toMatchObject({ event: 'exception', data: { error: 'missing_token' } });
    expect(connected).toEqual([]);
    socket.close();
  });

  it('may be public', async () => {
    const socket = connect('/public');
    expect(await ask(socket, 'hello')).toEqual({ event: 'hello', data: {} });
    socket.close();
  });

  it('does not affect the live mode', async () => {
    const refusal = new Promise((resolve) => {
      connect('/v1/realtime?model=ada').on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    });
    expect(await refusal).toBe(401);
  });
});

describe('a gateway without a path, with clients of Socket.IO', () => {
  let other: TestApp;
  let at: number;
  beforeAll(async () => {
    other = await createTestApp({
      server: anyServer(),
      modules: [PathlessModule],
      onApp: (app) => app.useWebSocketAdapter(new HandshakeAdapter(app)),
    });
    at = await other.listen();
  });
  afterAll(() => other.close());

  it('gets the user of the token in its handshake', async () => {
    const socket = connect('/', await other.token('ann'), [], at);
    expect(await ask(socket, 'whoami')).toEqual({ event: 'you', data: { user_id: 'ann' } });
    socket.close();
  });

  it('disconnects them without a token, or when it has expired', async () => {
    expect((await once(connect('/', undefined, [], at), 'close'))[0]).toBe(4999);
    const socket = connect('/', await other.token('ann'), [], at);
    expect(await ask(socket, 'whoami')).toMatchObject({ event: 'you' });
    other.clock.advance(86_400_000);
    const ended = once(socket, 'close');
    expect(await ask(socket, 'whoami')).toMatchObject({ event: 'exception', data: { error: 'token_expired' } });
    expect((await ended)[0]).toBe(4999);
  });
});

describe('an RPC handler', () => {
  const direct = new DirectServer();
  let client: ReturnType<typeof ClientProxyFactory.create>;
  beforeAll(async () => {
    const options = { host: '127.0.0.1', port: await freePort() };
    test.app.connectMicroservice({ transport: Transport.TCP, options });
    test.app.connectMicroservice({ strategy: direct });
    await test.app.startAllMicroservices();
    client = ClientProxyFactory.create({ transport: Transport.TCP, options });
  });
  afterAll(() => client.close());
  const send = (pattern: string, data: unknown) =>
    firstValueFrom(client.send(pattern, data)).catch((error: unknown) => error);

  it.each(['Bearer ', ''])('gets the user of the token in its payload, sent as "%sTOKEN"', async (scheme) => {
    const authorization = `${scheme}${await test.token('ann')}`;
    expect(await send('whoami', { authorization })).toEqual({ user_id: 'ann', project_id: 'default' });
  });

  it.each<[string, (authorization: string) => unknown]>([
    ['the metadata of gRPC', (authorization) => new Map([['authorization', [authorization]]])],
    [
      'the headers of NATS',
      (authorization) => new NatsContext(['whoami', new Map([['authorization', authorization]])]),
    ],
    [
      'the headers of Kafka',
      (authorization) => new KafkaContext([{ headers: { authorization: Buffer.from(authorization) } }] as never),
    ],
    [
      'the headers of RabbitMQ',
      (authorization) => new RmqContext([{ properties: { headers: { authorization } } }, {}, 'whoami']),
    ],
  ])('gets the user of the token in %s', async (_, contextOf) => {
    const context = contextOf(`Bearer ${await test.token('ann')}`);
    expect(await direct.ask('whoami', 'no payload', context)).toEqual({ user_id: 'ann', project_id: 'default' });
  });

  it.each<[string, unknown]>([
    ['gRPC', new Map()],
    ['NATS', new NatsContext(['whoami', undefined])],
    ['Kafka', new KafkaContext([{ value: 'x' }] as never)],
    ['RabbitMQ', new RmqContext([{ properties: {} }, {}, 'whoami'])],
    ['another transport', undefined],
  ])('is closed without a token, by %s', async (_, context) => {
    expect(await direct.ask('whoami', 'no payload', context)).toMatchObject({ status: 401, error: 'missing_token' });
  });

  it.each<[string, unknown, string]>([
    ['without a token', {}, 'missing_token'],
    ['without a payload', '', 'missing_token'],
    ['with a token that is not a string', { authorization: { $ne: '' } }, 'missing_token'],
    ['with an invalid token', { authorization: 'Bearer a.b.c' }, 'invalid_token'],
  ])('is closed %s', async (_, data, error) => {
    expect(await send('whoami', data)).toMatchObject({ result: 'failure', status: 401, error });
  });

  it('reports an expired token', async () => {
    const authorization = await test.token('ann');
    test.clock.advance(86_400_000);
    expect(await send('whoami', { authorization })).toMatchObject({ status: 403, error: 'token_expired' });
  });

  it('may be public', async () => {
    expect(await send('hello', {})).toBe('hello');
  });

  it('for events only accepts clients with a token', async () => {
    const authorization = await test.token('ann');
    client.emit('note', { n: 1 });
    client.emit('note', { n: 2, authorization });
    while (events.length === 0) await send('hello', {});
    expect(events).toEqual([{ n: 2, authorization }]);
  });
});
