import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Body, Controller, type INestApplication, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AvatarChatModule } from '../../src/index.js';
import { aUser } from '../support/index.js';
import { selfSigned } from '../support/certificate.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';

const dir = mkdtempSync(join(tmpdir(), 'avatar-chat-tls-'));
afterAll(() => rmSync(dir, { recursive: true }));
const catalogue = join(dir, 'catalogue.json');
writeFileSync(
  catalogue,
  JSON.stringify({
    languages: [{ name: 'English', language_code: 'en', icon_url: '/assets/x.svg' }],
    avatars: [{ ...PUPPET, hasLiveMode: true }],
    projects: [
      {
        project_id: 'default',
        avatars: ['puppet'],
        languages: ['en'],
        speech: { speaker: { kind: 'metronome' }, transcriber: { kind: 'none' } },
      },
    ],
  }),
);

@Controller()
class HostController {
  @Post('echo')
  echo(@Body() body: object): object {
    return body;
  }
}

@Module({
  imports: [
    AvatarChatModule.forRoot({
      prefix: 'talk/v1',
      settings: {
        MONGODB_URI: 'embedded::memory:',
        JWT_SECRET: 's'.repeat(32),
        LOG_LEVEL: 'silent',
        SPEECH_MODELS: 'off',
        CATALOGUE_FILE: catalogue,
      },
      modules: [PuppetModule, MetronomeModule],
    }),
  ],
  controllers: [HostController],
})
class HostModule {}

const { key, cert } = selfSigned();
const START = {
  fastify: () => NestFactory.create(HostModule, new FastifyAdapter({ https: { key, cert } }) as never, OPTIONS),
  express: () =>
    NestFactory.create(HostModule, new ExpressAdapter(), { ...OPTIONS, httpsOptions: { key, cert } } as never),
};
const OPTIONS = { logger: false, abortOnError: false } as const;

describe.each(['fastify', 'express'] as const)('within a host on %s that serves TLS', (kind) => {
  let app: INestApplication;
  let port: number;

  const call = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const sent = body && JSON.stringify(body);
    const request = httpsRequest({
      host: '127.0.0.1',
      port,
      path,
      ca: cert,
      method: sent ? 'POST' : 'GET',
      headers: {
        ...(sent && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
        ...headers,
      },
    }).end(sent);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: JSON.parse(await text(answer)) };
  };

  beforeAll(async () => {
    app = await START[kind]();
    await app.listen(0, '127.0.0.1');
    ({ port } = app.getHttpServer().address() as AddressInfo);
    while ((await call('/talk/v1/health/ready')).status !== 200) await delay(100);
  });
  afterAll(() => app.close());

  it('supports WebSockets, with https URLs', async () => {
    const token = (await call('/talk/v1/jwt', { user_id: aUser() })).body.jwt as string;
    const client = await LiveClient.open(port, 'model=puppet', token, '/talk/v1', cert);
    client.say('Hello');
    expect(await client.next('response.done')).toMatchObject({ response: { status: 'completed' } });
    client.socket.terminate();
    const { body } = await call('/talk/v1/connection', undefined, { authorization: `Bearer ${token}` });
    expect(body.avatars_info[0].idleVideo).toMatch(`https://127.0.0.1:${port}/talk/v1/assets/`);
  });

  it('serves requests for other protocols in HTTP/1.1', async () => {
    const upgrade = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    expect((await call('/talk/v1/jwt', { user_id: '!' }, upgrade)).body.error).toBe('invalid_user_id');
    expect(await call('/echo', { rows: 3 }, upgrade)).toEqual({ status: 201, body: { rows: 3 } });
  });
});
