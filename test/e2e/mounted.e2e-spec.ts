import { inspect } from 'node:util';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Body,
  type CanActivate,
  Controller,
  ForbiddenException,
  Get,
  type INestApplication,
  Injectable,
  Module,
  Post,
  type Type,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { IsInt } from 'class-validator';
import mongoose from 'mongoose';
import { WebSocket } from 'ws';
import {
  AvatarChatModule,
  ChatService,
  CurrentUser,
  DatabaseUnavailableError,
  JwtGuard,
  type Owner,
  PublicUrl,
} from '../../src/index.js';
import { ERRORS } from 'avatar-chat-errors';
import { assertErrorBody, aTurn, aUser } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';

const KEY = 'k'.repeat(32);
const SETTINGS = {
  MONGODB_URI: 'embedded::memory:',
  JWT_SECRET: 's'.repeat(32),
  ADMIN_KEY: KEY,
  LOG_LEVEL: 'silent',
  SPEECH_MODELS: 'off',
  CORS_ORIGINS: 'https://page.test',
  JWT_TTL_SECONDS: 60,
  RATE_LIMIT: false,
};

type Call = Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; json?: unknown };

class Seat {
  @IsInt()
  row!: number;
}

/** Protects the host, except its public routes. */
@Injectable()
class HostGuard implements CanActivate {
  canActivate(context: { switchToHttp(): { getRequest(): { headers: Record<string, string> } } }): boolean {
    return context.switchToHttp().getRequest().headers['x-host'] === 'yes';
  }
}

@Controller()
class HostController {
  constructor(
    private readonly chat: ChatService,
    private readonly urls: PublicUrl,
  ) {}
  @Get('hello')
  hello(): object {
    return { from: this.urls.base };
  }
  @Post('seats')
  take(@Body() seat: Seat): object {
    return { isSeat: seat instanceof Seat, ...seat };
  }
  @Get('chat')
  chatOfHost(): string {
    return 'the chat of the host';
  }
  @Get('refused')
  refuse(): never {
    throw new ForbiddenException('not here');
  }
  @Get('away')
  away(): never {
    throw new DatabaseUnavailableError();
  }
  @UseGuards(JwtGuard)
  @Get('mine')
  async mine(@CurrentUser() owner: Owner): Promise<object> {
    await this.chat.record(aTurn({ owner }));
    return owner;
  }
}

const hostWith = (...imports: ReturnType<typeof AvatarChatModule.forRoot>[]) => {
  @Module({ imports, controllers: [HostController], providers: [{ provide: APP_GUARD, useClass: HostGuard }] })
  class HostModule {}
  return HostModule;
};

const ADAPTERS = { fastify: () => new FastifyAdapter(), express: () => new ExpressAdapter() };

async function start(kind: keyof typeof ADAPTERS, module: Type): Promise<{ app: INestApplication; url: string }> {
  const app = await NestFactory.create(module, ADAPTERS[kind]() as never, { logger: false, abortOnError: false });
  app.setGlobalPrefix('api');
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
  app.enableCors({ origin: 'https://host.test' });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}` };
}

describe.each(['fastify', 'express'] as const)('within a host on %s', (kind) => {
  let app: INestApplication;
  let url: string;
  let origin: string;
  let isOpen = true;
  const HOST = { 'x-host': 'yes' };
  const call = async (path: string, init: Call = {}) => {
    const { json, headers = {}, ...rest } = init;
    const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
    const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      ...body,
      ...rest,
      headers: { ...type, ...headers },
    });
    const text = await response.text();
    const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers) as Record<string, string | undefined>,
      text,
      body: isJson && text ? JSON.parse(text) : undefined,
    };
  };
  const tokenOf = async (user_id: string) => (await call('/talk/v1/jwt', { json: { user_id } })).body.jwt as string;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  beforeAll(async () => {
    // None of it is read.
    process.env.PORT = 'no port';
    process.env.PUBLIC_URL = 'no url';
    const module = hostWith(AvatarChatModule.forRoot({ prefix: 'talk/v1', settings: SETTINGS }));
    ({ app, url } = await start(kind, module));
    origin = `${url}/talk/v1`;
    // On a busy machine, startup may time out and continue without the database.
    while ((await call('/talk/v1/health/ready')).status !== 200) await delay(100);
  });
  afterAll(async () => {
    delete process.env.PORT;
    delete process.env.PUBLIC_URL;
    if (isOpen) await app.close();
  });

  it('serves its routes under its prefix, with URLs that include it', async () => {
    const user_id = aUser();
    const headers = bearer(await tokenOf(user_id));
    const { body } = await call('/talk/v1/connection', { headers });
    expect(body.avatars_info[0].idleVideo).toMatch(new RegExp(`^${origin}/assets/`));
    expect((await call(body.avatars_info[0].previewIcons.small)).status).toBe(200);
    const said = await call('/talk/v1/chat', {
      headers,
      json: { avatar_id: 'ada', request: 'Hi' },
    });
    expect(said.status).toBe(201);
    const history = await call(`/talk/v1/chat?user_id=${user_id}`, { headers });
    expect(history.body.payload).toHaveLength(2);
    expect((await call('/talk/v1/health/ready')).body).toEqual({ status: 'ok' });
    expect((await call('/talk/v1/metrics')).text).toContain('http_request_duration_seconds');
    expect((await call('/talk/v1/admin/projects', { headers: bearer(KEY) })).status).toBe(200);
    const document = (await call('/talk/v1/docs-json')).body;
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/talk/v1/jwt', '/talk/v1/chat']));
    expect((await call('/talk/v1/docs')).status).toBe(200);
    expect((await call('/talk/v1/widget.js')).status).toBe(200);
  });

  it.each<[string, string, Call, number, string]>([
    ['no token', '/talk/v1/connection', {}, 401, 'missing_token'],
    [
      'a bad body',
      '/talk/v1/jwt',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' },
      400,
      'invalid_json',
    ],
    ['a bad field', '/talk/v1/jwt', { json: { user_id: '!' } }, 400, 'invalid_user_id'],
    ['an unknown path', '/talk/v1/nowhere', {}, 404, 'not_found'],
    ['its root', '/talk/v1', {}, 404, 'not_found'],
    ['another method', '/talk/v1/jwt', { method: 'DELETE' }, 405, 'method_not_allowed'],
    ['a bad escape', '/talk/v1/%zz', {}, 400, 'bad_request'],
    ['a long URL', `/talk/v1/chat?user_id=${'x'.repeat(9000)}`, {}, 414, 'uri_too_long'],
    ['a path of the host', '/talk/v1/hello', { headers: HOST }, 404, 'not_found'],
  ])('has its own error for %s', async (_, path, init, status, error) => {
    const answer = await call(path, init);
    expect(answer).toMatchObject({ status, body: { error } });
    assertErrorBody(answer);
  });

  it("leaves the host's guard, pipe, errors, CORS and routes of the same names alone", async () => {
    expect(await call('/api/hello', { headers: HOST })).toMatchObject({ status: 200, body: { from: origin } });
    expect((await call('/api/hello')).body).toEqual({
      message: 'Forbidden resource',
      error: 'Forbidden',
      statusCode: 403,
    });
    expect((await call('/api/chat', { headers: HOST })).text).toBe('the chat of the host');
    expect((await call('/api/refused', { headers: HOST })).body.statusCode).toBe(403);
    expect(await call('/api/away', { headers: HOST })).toMatchObject({ status: 503, body: { statusCode: 503 } });
    expect((await call('/api/seats', { headers: HOST, json: { row: 1, x: 2 } })).body).toEqual({
      isSeat: true,
      row: 1,
    });
    expect((await call('/api/seats', { headers: HOST, json: { row: 'x' } })).body).toMatchObject({ statusCode: 400 });
    for (const path of ['/nowhere', '/talk/v1x', '/jwt', '/talk'])
      expect(await call(path, { headers: HOST })).toMatchObject({
        status: 404,
        text: expect.not.stringContaining('request_id'),
      });
    const ask = async (path: string, page: string) =>
      (await call(path, { method: 'OPTIONS', headers: { origin: page, 'access-control-request-method': 'GET' } }))
        .headers['access-control-allow-origin'];
    expect(await ask('/talk/v1/connection', 'https://page.test')).toBe('https://page.test');
    expect(await ask('/talk/v1/connection', 'https://host.test')).not.toBe('https://host.test');
    expect(await ask('/api/hello', 'https://host.test')).toBe('https://host.test');
    expect(mongoose.get('sanitizeFilter')).toBeUndefined();
    expect(mongoose.get('strictQuery')).toBeUndefined();
  });

  it('provides its guard and its services to the host', async () => {
    const user_id = aUser();
    const headers = { ...HOST, ...bearer(await tokenOf(user_id)) };
    expect((await call('/api/mine', { headers })).body).toEqual({ project_id: 'default', user_id });
    expect((await call(`/talk/v1/chat?user_id=${user_id}`, { headers })).body.payload).toHaveLength(2);
    expect(await call('/api/mine', { headers: HOST })).toMatchObject({
      status: 401,
      body: { statusCode: 401, message: ERRORS.missing_token.message },
    });
  });

  it('accepts WebSockets under its prefix, and does not affect requests for other protocols', async () => {
    const token = await tokenOf(aUser());
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/v1/realtime?model=ada`, { headers: bearer(token) });
    const first = await new Promise<string>((resolve, reject) => {
      socket.once('message', (data) => resolve(String(data)));
      socket.once('error', reject);
      socket.once('unexpected-response', (_, answer) => reject(new Error(String(answer.statusCode))));
    }).catch((error: Error) => error.message);
    socket.terminate();
    expect(first).toContain('session.created');
    const upgrade = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    const post = (path: string, body: string, more: Record<string, string>) =>
      new Promise<string>((resolve, reject) => {
        const headers = {
          ...upgrade,
          'content-type': 'application/json',
          'content-length': String(body.length),
          ...more,
        };
        const sent = httpRequest(url + path, { method: 'POST', headers }, (answer) => {
          let text = '';
          answer
            .setEncoding('utf8')
            .on('data', (chunk) => (text += chunk))
            .on('end', () => resolve(text));
        });
        sent.on('error', reject).end(body);
      });
    expect(await post('/api/seats', '{"row":3}', HOST)).toBe('{"isSeat":true,"row":3}');
    expect(await post('/talk/v1/jwt', '{"user_id":"!"}', {})).toContain('invalid_user_id');
  });

  it('rejects an unsupported Expect, and leaves those of the host to the host', async () => {
    const raw = (path: string) =>
      new Promise<string>((resolve) => {
        let text = '';
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.on('data', (chunk) => (text += String(chunk))).on('close', () => resolve(text));
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n`);
      });
    expect(await raw('/talk/v1/health/live')).toContain('expectation_failed');
    expect(await raw('/api/hello')).toMatch(/^HTTP\/1\.1 417 [^{]*$/);
  });

  it('ends live sessions before the host, which would wait for them', async () => {
    const token = await tokenOf(aUser());
    const client = await LiveClient.open(Number(new URL(url).port), 'model=ada', token, '/talk/v1');
    isOpen = false;
    const closing = app.close();
    expect(await client.next('session.going_away')).toMatchObject({ reason: 'shutdown' });
    expect(await client.closed).toEqual({ code: 1001, reason: 'shutdown' });
    await closing;
  });
});

describe('without a prefix', () => {
  it('handles the paths that it has routes for, and no others', async () => {
    @Controller()
    class RootController {
      @Get(['/', 'health', 'files', 'anything'])
      find(): string {
        return 'of the host';
      }
    }
    @Module({ imports: [AvatarChatModule.forRoot({ settings: SETTINGS })], controllers: [RootController] })
    class RootModule {}
    const app = await NestFactory.create(RootModule, new ExpressAdapter(), { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    const text = async (path: string) => (await fetch(url + path)).text();
    for (const path of ['/', '/health', '/files', '/anything']) expect(await text(path)).toBe('of the host');
    expect(await text('/health/live')).toBe('{"status":"ok"}');
    expect(await text('/files/x')).toContain('file_not_found');
    expect(await text('/connection')).toContain('missing_token');
    await app.close();
  });
});

describe('in tests of a host', () => {
  it.each(['fastify', 'express'] as const)(
    'on %s, it works without a port, with settings from a provider',
    async (kind) => {
      @Injectable()
      class Vault {
        read() {
          return SETTINGS;
        }
      }
      @Module({ providers: [Vault], exports: [Vault] })
      class VaultModule {}
      const chat = AvatarChatModule.forRootAsync({
        prefix: 'talk',
        imports: [VaultModule],
        inject: [Vault],
        useFactory: (vault: Vault) => ({ settings: vault.read() }),
      });
      const testing = await Test.createTestingModule({ imports: [hostWith(chat)] }).compile();
      const app = testing.createNestApplication(ADAPTERS[kind]() as never, { logger: false });
      await app.init();
      if (kind === 'fastify') {
        const instance = app.getHttpAdapter().getInstance();
        await instance.ready();
        expect((await instance.inject('/talk/connection')).json()).toMatchObject({ error: 'missing_token' });
        expect((await instance.inject('/talk/nowhere')).json()).toMatchObject({ error: 'not_found' });
        expect((await instance.inject('/nowhere')).json()).toMatchObject({ statusCode: 404 });
      } else {
        const { default: supertest } = await import('supertest');
        expect((await supertest(app.getHttpServer()).get('/talk/connection')).body).toMatchObject({
          error: 'missing_token',
        });
        const instance = app.getHttpAdapter().getInstance();
        expect((await supertest(instance).get('/talk/nowhere')).body).toMatchObject({ error: 'not_found' });
      }
      expect(app.get(ChatService)).toBeInstanceOf(ChatService);
      await app.close();
    },
  );
});

describe('rejects at once', () => {
  it.each<[string, object, RegExp]>([
    [
      'an unknown option',
      { prefix: 'a', prefx: 'b' },
      /forRoot\(\) has no option prefx; it has prefix, settings, modules\./,
    ],
    ['a prefix with a leading slash', { prefix: '/talk' }, /prefix .* must be like talk\/v1/],
    ['a prefix with dot segments', { prefix: 'a/../b' }, /prefix .* must be like talk\/v1/],
    [
      'an unknown setting',
      { settings: { ...SETTINGS, JWT_SECRETT: 'x', port: 1 } },
      /JWT_SECRETT is no setting[^]*port is no setting/,
    ],
    ['an invalid setting', { settings: { ...SETTINGS, PORT: 'x' } }, /PORT must be a whole number/],
  ])('%s', (_, options, message) => {
    expect(() => AvatarChatModule.forRoot(options)).toThrow(message);
  });

  it("an unknown option of forRootAsync, and of its factory's result", async () => {
    expect(() => AvatarChatModule.forRootAsync({ useFactry: 1 } as never)).toThrow(/has no option useFactry/);
    expect(() => AvatarChatModule.forRootAsync({} as never)).toThrow(/needs a useFactory/);
    const chat = AvatarChatModule.forRootAsync({ useFactory: () => ({ setings: {} }) as never });
    const failure: Error = await Test.createTestingModule({ imports: [chat] })
      .compile()
      .then(String, (error) => error);
    expect(failure.message).toMatch(/returns has no option setings/);
    // Hosts print it whole.
    expect(inspect(failure)).toBe(`[Error: ${failure.message}]`);
  });
});
