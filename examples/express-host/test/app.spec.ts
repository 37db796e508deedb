import { type INestApplication, ValidationPipe } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { AppModule } from '../src/app.module';

const SETTINGS = { NODE_ENV: 'test', MONGODB_URI: 'embedded::memory:', JWT_SECRET: 's'.repeat(32) };

describe('a host that mounts the service under talk/v1', () => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(ConfigService)
      .useValue(new ConfigService(SETTINGS))
      .compile();
    app = testing.createNestApplication({ logger: false });
    app.setGlobalPrefix('api');
    app.useGlobalPipes(new ValidationPipe({ transform: true }));
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    while ((await fetch(`${url}/talk/v1/health/ready`)).status !== 200)
      await new Promise((done) => setTimeout(done, 50));
  });
  afterAll(() => app.close());

  const call = async (path: string, { token = '', body }: { token?: string; body?: object } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as any };
  };

  it('keeps its own routes, prefix and validation', async () => {
    expect(await call('/api/orders')).toEqual({ status: 200, body: [{ pieces: 3 }] });
    expect((await call('/api/orders', { body: { pieces: 'x' } })).body.statusCode).toBe(400);
  });

  it('shares its users with the chat', async () => {
    const { jwt: token } = (await call('/talk/v1/jwt', { body: { user_id: 'user-1' } })).body;
    const turn = await call('/talk/v1/chat', { token, body: { avatar_id: 'ada', request: 'Hello!' } });
    expect(turn.status).toBe(201);
    expect((await call('/api/orders/mine', { token })).body).toEqual({ user_id: 'user-1', messages: 2 });
    expect((await call('/api/orders/mine')).status).toBe(401);
    expect((await call('/talk/v1/connection')).body.error).toBe('missing_token');
  });
});
