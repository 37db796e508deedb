import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, type INestApplication, Injectable, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { AuthService, AvatarChatModule, CurrentUser, JwtGuard, type Owner } from '../../src/index.js';
import { freePort } from '../support/index.js';

const connected: string[] = [];
const who = (owner: Owner | undefined) => ({ event: 'you', data: owner?.user_id ?? 'anyone' });

@UseGuards(JwtGuard)
@WebSocketGateway({ path: '/closed' })
class ClosedGateway {
  handleConnection() {
    connected.push('closed');
  }
  @SubscribeMessage('who')
  who(@CurrentUser() owner: Owner) {
    return who(owner);
  }
}
@WebSocketGateway({ path: '/half' })
class HalfClosedGateway {
  handleConnection() {
    connected.push('half');
  }
  @UseGuards(JwtGuard)
  @SubscribeMessage('who')
  who(@CurrentUser() owner: Owner) {
    return who(owner);
  }
  @SubscribeMessage('open')
  open() {
    return who(undefined);
  }
}
@Injectable()
class HostGuard extends JwtGuard {}
@Controller()
class RpcController {
  @UseGuards(JwtGuard)
  @MessagePattern('who')
  who(@CurrentUser() owner: Owner) {
    return who(owner);
  }
  @UseGuards(HostGuard)
  @MessagePattern('who-by-subclass')
  whoBySubclass(@CurrentUser() owner: Owner) {
    return who(owner);
  }
  @UseGuards({ canActivate: () => true })
  @MessagePattern('open-by-guard')
  openByGuard() {
    return who(undefined);
  }
  @MessagePattern('open')
  open() {
    return who(undefined);
  }
}
@Module({
  imports: [
    AvatarChatModule.forRoot({
      prefix: 'talk/v1',
      settings: {
        NODE_ENV: 'test',
        MONGODB_URI: 'embedded::memory:',
        JWT_SECRET: 'a secret of a host that is long enough',
        LOG_LEVEL: 'silent',
      },
    }),
  ],
  providers: [ClosedGateway, HalfClosedGateway],
  controllers: [RpcController],
})
class HostModule {}

let app: INestApplication;
let token: string;
let rpc: ReturnType<typeof ClientProxyFactory.create>;
beforeAll(async () => {
  app = await NestFactory.create(HostModule, new FastifyAdapter(), { logger: false, abortOnError: false });
  app.useWebSocketAdapter(new WsAdapter(app));
  const options = { host: '127.0.0.1', port: await freePort() };
  app.connectMicroservice({ transport: Transport.TCP, options });
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const ready = `http://127.0.0.1:${app.getHttpServer().address().port}/talk/v1/health/ready`;
  while ((await fetch(ready)).status !== 200) await delay(100);
  rpc = ClientProxyFactory.create({ transport: Transport.TCP, options });
  token = app.get(AuthService).sign({ project_id: 'default', user_id: 'ann' });
});
afterAll(async () => {
  rpc.close();
  await app.close();
});
beforeEach(() => connected.splice(0));

const connect = (path: string, authorization?: string) =>
  new WebSocket(`ws://127.0.0.1:${app.getHttpServer().address().port}${path}`, {
    headers: authorization === undefined ? {} : { authorization: `Bearer ${authorization}` },
  });
const ask = async (socket: WebSocket, event: string) => {
  if (socket.readyState === WebSocket.CONNECTING) await once(socket, 'open');
  socket.send(JSON.stringify({ event }));
  const [data] = (await once(socket, 'message')) as [unknown];
  return JSON.parse(String(data)) as Record<string, any>;
};

describe('a gateway of the host', () => {
  it.each(['/closed', '/half'])('guarded by JwtGuard accepts a valid token: %s', async (path) => {
    const socket = connect(path, token);
    expect(await ask(socket, 'who')).toEqual({ event: 'you', data: 'ann' });
    expect(connected).toEqual([path.slice(1)]);
    socket.close();
  });

  it.each<[string, string | undefined]>([
    ['missing_token', undefined],
    ['invalid_token', 'a.b.c'],
  ])('guarded by JwtGuard closes with 4401 %s', async (code, bad) => {
    const [status, reason] = (await once(connect('/closed', bad), 'close')) as [number, Buffer];
    expect([status, String(reason)]).toEqual([4401, code]);
    expect(connected).toEqual([]);
  });

  it('with one handler guarded by JwtGuard serves the others without a token', async () => {
    const socket = connect('/half');
    expect(await ask(socket, 'open')).toEqual({ event: 'you', data: 'anyone' });
    expect(await ask(socket, 'who')).toMatchObject({ event: 'exception', data: { error: 'missing_token' } });
    socket.close();
  });
});

describe('an RPC handler of the host', () => {
  const send = (pattern: string, data: object) =>
    firstValueFrom(rpc.send(pattern, data)).catch((error: unknown) => error);

  it.each([
    ['JwtGuard', 'who'],
    ['a class that extends it', 'who-by-subclass'],
  ])('guarded by %s accepts a valid token, and reports why it refuses others', async (_, pattern) => {
    expect(await send(pattern, { authorization: token })).toEqual({ event: 'you', data: 'ann' });
    expect(await send(pattern, {})).toMatchObject({ status: 401, error: 'missing_token' });
    expect(await send(pattern, { authorization: 'a.b.c' })).toMatchObject({ status: 401, error: 'invalid_token' });
  });

  it.each([
    ['without a guard', 'open'],
    ['with another guard', 'open-by-guard'],
  ])('%s needs no token', async (_, pattern) => {
    expect(await send(pattern, {})).toEqual({ event: 'you', data: 'anyone' });
  });
});
