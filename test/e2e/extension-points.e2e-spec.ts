import { PassThrough } from 'node:stream';
import { type CanActivate, Controller, Get, Injectable, Module, Post } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Terminal } from 'avatar-chat-command-line';
import {
  CatalogueService,
  CliCommand,
  CurrentUser,
  EventsModule,
  EventsService,
  GuardedBy,
  HealthCheck,
  Metrics,
  OnEvent,
  Owner,
  Public,
  RateLimit,
  runCli,
  type ServiceEvent,
} from '../../src/index.js';
import {
  anOwner,
  anyServer,
  aProject,
  aRecording,
  createTestApp,
  startReceiver,
  type TestApp,
} from '../support/index.js';
import { stagedCatalogue, PausePointsModule } from '../support/pause-points.js';

/** The module's external effects. */
@Injectable()
class Crm {
  state: 'well' | 'ill' | 'silent' = 'well';
  ping(): Promise<boolean> | boolean {
    return this.state === 'silent' ? new Promise(() => undefined) : this.state === 'well';
  }
}

@Injectable()
class Seats {
  readonly heard: ServiceEvent<'seats.taken'>[] = [];
  private readonly taken: Counter;
  constructor(
    private readonly crm: Crm,
    metrics: Metrics,
  ) {
    this.taken = new Counter({ name: 'seats_taken_total', help: 'Seats taken.', registers: [metrics.registry] });
  }
  @HealthCheck('crm')
  reach() {
    return this.crm.ping();
  }
  @OnEvent('seats.taken')
  hear(event: ServiceEvent<'seats.taken'>): void {
    this.heard.push(event);
    this.taken.inc();
  }
  @CliCommand('seats count')
  async count(args: readonly string[], terminal: Terminal): Promise<number | void> {
    if (args[0] === 'fail') throw new Error('a secret of the module');
    await terminal.print(`${args.length} words\n`);
    return args.includes('seven') ? 7 : undefined;
  }
}

@Injectable()
class PartnerGuard implements CanActivate {
  canActivate(context: { switchToHttp(): { getRequest(): { headers: Record<string, string> } } }): boolean {
    return context.switchToHttp().getRequest().headers['x-api-key'] === 'right';
  }
}

@RateLimit('turns')
@Controller('seats')
class SeatsController {
  constructor(private readonly events: EventsService) {}
  @Post()
  async take(@CurrentUser() owner: Owner): Promise<void> {
    await this.events.emit('seats.taken', owner, { row: 7, message_id: 'of-a-mail', user_id: 'somebody else' });
  }
  @Get()
  find(): string {
    return 'all of them';
  }
}

@GuardedBy(PartnerGuard, { name: 'partner', scheme: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } })
@Controller('partners')
class PartnersController {
  @Get()
  find(): string {
    return 'partners';
  }
}

@GuardedBy(PartnerGuard, { name: 'staff', scheme: 'bearer' })
@Controller('staff')
class StaffController {
  @Get()
  find(): string {
    return 'staff';
  }
}

@Public()
@Controller('open')
class OpenController {
  @RateLimit('jwt')
  @Get()
  find(): string {
    return 'open';
  }
}

@Module({
  imports: [EventsModule],
  controllers: [SeatsController, PartnersController, StaffController, OpenController],
  providers: [Crm, Seats],
})
class SeatsModule {}

let test: TestApp;
const crm = new Crm();
beforeAll(async () => {
  const rateLimits = { enabled: true, jwt: 3, turns: 2, reads: 4 };
  test = await createTestApp({
    server: anyServer(),
    modules: [SeatsModule, PausePointsModule],
    overrides: [{ provide: Crm, useValue: crm }],
    config: { rateLimits },
  });
});
afterAll(() => test.close());

it("a module's health check decides whether the service is ready, with a timeout", async () => {
  const ready = async () => (await test.call({ path: '/health/ready' })).status;
  for (const [state, status] of [
    ['well', 200],
    ['ill', 503],
    ['silent', 503],
    ['well', 200],
  ] as const) {
    crm.state = state;
    expect([state, await ready()]).toEqual([state, status]);
  }
});

it("a module's event reaches listeners and webhooks, with its owner, and is counted", async () => {
  const receiver = await startReceiver();
  const project_id = aProject();
  const webhooks = [{ name: 'crm', url: receiver.url, events: ['seats.taken'] }];
  await test.app
    .get(CatalogueService)
    .apply(JSON.stringify({ projects: [{ project_id, avatars: ['ada'], languages: ['en'], webhooks }] }));
  const { user_id } = anOwner();
  const token = await test.token(user_id, project_id);
  expect((await test.call({ method: 'POST', path: '/seats', token })).status).toBe(201);
  await receiver.until(() => receiver.received.length > 0);
  await receiver.close();
  expect(receiver.received[0]!.event).toMatchObject({ type: 'seats.taken', data: { project_id, user_id, row: 7 } });
  expect(test.app.get(Seats).heard).toMatchObject([{ type: 'seats.taken', data: { project_id, user_id, row: 7 } }]);
  expect((await test.call({ path: '/metrics' })).text).toContain('seats_taken_total 1');
});

it.each(['taken', 'message.seen', 'user.gone', 'Seats.taken'])(
  'a type of the service is not valid for a module: %s',
  async (type) => {
    await expect(test.app.get(EventsService).emit(type as never, anOwner())).rejects.toThrow(
      /type like ratings\.given/,
    );
  },
);

it("a module's event has a size limit", async () => {
  const big = { text: 'x'.repeat(20_000) };
  await expect(test.app.get(EventsService).emit('seats.taken', anOwner(), big)).rejects.toThrow(
    /more than 16384 bytes/,
  );
});

it("a controller can be rate-limited, a module's guard too, and both are documented", async () => {
  const statuses = async (path: string, headers: Record<string, string>, times: number) => {
    const found: number[] = [];
    for (let i = 0; i < times; i++) found.push((await test.call({ path, headers })).status);
    return found;
  };
  const token = await test.token(anOwner().user_id);
  expect(await statuses('/seats', { authorization: `Bearer ${token}` }, 3)).toEqual([200, 200, 429]);
  expect(await statuses('/partners', { 'x-api-key': 'wrong' }, 2)).toEqual([401, 401]);
  expect(await statuses('/partners', { 'x-api-key': 'right' }, 3)).toEqual([200, 200, 429]);
  const { paths, components } = (await test.call({ path: '/docs-json' })).body;
  expect(components.securitySchemes.partner).toEqual({ type: 'apiKey', in: 'header', name: 'X-Api-Key' });
  expect(components.securitySchemes.staff).toEqual({ type: 'http', scheme: 'bearer' });
  expect(paths['/partners'].get.security).toEqual([{ partner: [] }]);
  expect(paths['/staff'].get.security).toEqual([{ staff: [] }]);
  expect(Object.keys(paths['/partners'].get.responses)).toEqual(expect.arrayContaining(['200', '401', '429']));
});

it('a form is sent as one, and parts can be replaced by others', async () => {
  const form = new FormData();
  form.append('avatar_id', 'staged');
  form.append('request', 'Hello');
  form.append('chat_type', 'voice');
  form.append('file', new Blob([aRecording()]));
  const project_id = aProject();
  await test.app.get(CatalogueService).apply(stagedCatalogue(project_id));
  const token = await test.token(anOwner().user_id, project_id);
  expect(await test.call({ method: 'POST', path: '/chat', token, body: form })).toMatchObject({
    status: 201,
    body: { outgoing: { request: 'Hello' } },
  });
});

describe('a command of a module', () => {
  const run = async (...args: string[]) => {
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const before = { ...process.env };
    if (test.config.database.kind !== 'mongodb') throw new Error('Not the database that was asked for');
    Object.assign(process.env, {
      MONGODB_URI: test.config.database.uri,
      DATA_DIR: test.config.dataDir,
      SPEECH_MODELS: 'off',
    });
    const code = await runCli(args, new Terminal(streams as never), [SeatsModule]);
    process.env = before;
    return { code, out: String(streams.stdout.read() ?? ''), err: String(streams.stderr.read() ?? '') };
  };

  it('gets the words after its name, and returns the exit status', async () => {
    expect(await run('seats', 'count', 'a', '--b')).toEqual({ code: 0, out: '2 words\n', err: '' });
    expect((await run('seats', 'count', 'seven')).code).toBe(7);
    const failed = await run('seats', 'count', 'fail');
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).not.toContain('secret');
  });

  it('is in the usage text; others do not exist', async () => {
    expect((await run('--help')).out).toContain('Commands of modules: seats count');
    expect(await run('seats', 'sell')).toMatchObject({
      code: 2,
      err: expect.stringContaining("no command 'seats sell'"),
    });
    expect(() => CliCommand('project add')).toThrow(/the service has that command/);
    expect(() => CliCommand('Seats!')).toThrow(/needs one or two words/);
  });
});
