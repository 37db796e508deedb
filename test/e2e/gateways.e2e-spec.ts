import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Controller, Module } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { WebSocket } from 'ws';
import { AuthModule, AuthService, Public, type ServiceError } from '../../src/index.js';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';

/** As docs/extending.md shows it. */
@Public()
@WebSocketGateway({ path: '/notes' })
class NotesGateway {
  private readonly owners = new WeakMap<WebSocket, string>();

  constructor(private readonly auth: AuthService) {}

  async handleConnection(client: WebSocket, { headers }: IncomingMessage) {
    try {
      const { user_id } = await this.auth.verify(headers.authorization?.replace(/^Bearer /, '') ?? '');
      this.owners.set(client, user_id);
      client.send(JSON.stringify({ event: 'you', data: user_id }));
    } catch (error) {
      client.close(4401, (error as ServiceError).code);
    }
  }
  @SubscribeMessage('note')
  note(@MessageBody() data: unknown) {
    return { event: 'noted', data };
  }
}
@Public()
@Controller()
class OpenRpc {
  @MessagePattern('hello')
  hello() {
    return 'hello';
  }
}
@Module({ imports: [AuthModule], providers: [NotesGateway], controllers: [OpenRpc] })
class NotesModule {}

let test: TestApp;
let port: number;
beforeAll(async () => {
  test = await createTestApp({
    server: anyServer(),
    modules: [NotesModule],
    onApp: (app) => app.useWebSocketAdapter(new WsAdapter(app)),
  });
  port = await test.listen();
});
afterAll(() => test.close());

const connect = (token: string) =>
  new WebSocket(`ws://127.0.0.1:${port}/notes`, { headers: { authorization: `Bearer ${token}` } });
const heard = async (socket: WebSocket) => {
  const [data] = await once(socket, 'message');
  return JSON.parse(String(data)) as unknown;
};

it('a public gateway verifies tokens itself, beside the live mode', async () => {
  const socket = connect(await test.token('ann'));
  expect(await heard(socket)).toEqual({ event: 'you', data: 'ann' });
  socket.send(JSON.stringify({ event: 'note', data: 7 }));
  expect(await heard(socket)).toEqual({ event: 'noted', data: 7 });
  socket.close();
  const [code, reason] = await once(connect('a.b.c'), 'close');
  expect([code, String(reason)]).toEqual([4401, 'invalid_token']);
});

@WebSocketGateway({ path: '/open' })
class UnmarkedGateway {}
@Controller()
class UnmarkedRpc {
  @Public()
  @MessagePattern('hello')
  hello() {
    return 'hello';
  }
  @MessagePattern('whoami')
  whoAmI() {
    return 'anybody';
  }
}
@Module({ providers: [UnmarkedGateway] })
class GatewayModule {}
@Module({ controllers: [UnmarkedRpc] })
class RpcModule {}

it.each([
  ['gateway', GatewayModule, 'UnmarkedGateway'],
  ['RPC handler', RpcModule, 'UnmarkedRpc.whoAmI'],
])('a %s that is not @Public() is refused at startup', async (_, module, name) => {
  await expect(createTestApp({ server: anyServer(), modules: [module] })).rejects.toThrow(
    `mark ${name} with @Public(), and verify tokens with AuthService.verify().`,
  );
});
