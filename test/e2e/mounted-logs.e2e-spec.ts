import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AvatarChatModule } from '../../src/index.js';
import { MountedService } from '../../src/mounted-service.js';
import { LOGGER, type Logger } from '../../src/platform/logging/index.js';

@Module({
  imports: [
    AvatarChatModule.forRoot({
      prefix: 'talk/v1',
      settings: { MONGODB_URI: 'embedded::memory:', JWT_SECRET: 's'.repeat(32), LOG_LEVEL: 'silent' },
    }),
  ],
})
class HostModule {}

it('in the log of a host, the lines of the service have its context, routes their prefix, and the start is logged once', async () => {
  const lines: [string, string][] = [];
  const keep = (message: string, context: string) => void lines.push([context, message]);
  const logger = { log: keep, warn: keep, error: keep };
  const app = await NestFactory.create(HostModule, { logger, abortOnError: false });
  try {
    await app.listen(0, '127.0.0.1');
    const of = (name: string) => lines.filter(([context]) => context === name).map(([, message]) => message);
    // The catalogue needs the database.
    while (of('AvatarChat:CatalogueService').length === 0) await delay(20);
    expect(of('AvatarChat:CatalogueService')).toContainEqual(expect.stringMatching(/^Anyone .*in 1 project: default$/));
    expect(of('NestFactory')).toEqual(['Starting Nest application...']);
    expect(of('RoutesResolver')).toContain('AuthController {/talk/v1}:');
    expect(of('RouterExplorer')).toContain('Mapped {/talk/v1/jwt, POST} route');
    expect([...of('RoutesResolver'), ...of('RouterExplorer')].filter((line) => !line.includes('{/talk/v1'))).toEqual(
      [],
    );
    expect(app.get(MountedService).get<Logger>(LOGGER).bindings()).toEqual({ context: 'AvatarChat' });
  } finally {
    await app.close();
  }
});
