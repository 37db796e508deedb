import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { CatalogueService } from '../../src/index.js';
import type { OperatorRole } from 'avatar-chat-settings';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';
import { launch, type Visit, visit } from './browser.js';

export const ADMIN_KEY = 'the-admin-key-of-this-page-test-0123456789';
export const SHOP = 'shop';
/** Another project, which a test adds if it needs it. */
export const OFFICE = 'office';
/** The path that a proxy strips. */
const PATH = '/tools/chat';

const KEYS = [
  ['owner', SHOP],
  ['agent', SHOP],
  ['viewer', SHOP],
  ['agent', OFFICE],
] as const;
const adminKeys = KEYS.map(([role, project]) => ({
  name: `${project}-${role}`,
  role,
  project,
  key: keyOf(role, project),
}));

/** The key of a role in a project. */
export function keyOf(role: OperatorRole, project = SHOP): string {
  return `a-key-for-one-${role}-of-the-${project}`.padEnd(40, 'x');
}

/** A browser, and a service with its console behind a proxy that strips a path, for the tests of one file. */
export class Operators {
  browser!: Browser;
  test!: TestApp;
  private proxy!: Server;
  /** Beginning of the method and path whose responses are lost, but not their requests. */
  losing?: string | undefined;

  constructor() {
    beforeAll(async () => {
      const config = { adminKey: ADMIN_KEY, adminKeys };
      [this.browser, this.test] = await Promise.all([
        launch({ devices: false }),
        createTestApp({ server: anyServer(), config }),
      ]);
      const settings = { unansweredQuestions: true };
      const replies = [
        { name: 'Opening hours', text: 'We are here from nine to five,\nMonday to Friday.' },
        { name: 'Goodbye', text: 'Have a nice day!' },
      ];
      const handover = { enabled: true };
      const project = { project_id: SHOP, avatars: ['ada'], languages: ['en'], handover, replies, settings };
      await this.test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
      this.proxy = await startStrippingProxy(
        await this.test.listen(),
        (request) => this.losing !== undefined && request.startsWith(this.losing),
      );
    });
    afterEach(() => Promise.all((this.browser?.contexts() ?? []).map((context) => context.close())));
    afterAll(async () => {
      await this.browser.close();
      this.proxy.closeAllConnections();
      this.proxy.close();
      await this.test.close();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.proxy.address() as AddressInfo).port}${PATH}/console`;
  }

  /** Those in progress, such as event streams. */
  dropConnections(): void {
    this.proxy.closeAllConnections();
  }

  open(options: Parameters<typeof visit>[2] = {}): Promise<Visit> {
    return visit(this.browser, this.url, options);
  }

  /** The console, signed in. `stream` resolves when the service has begun its event stream, which {@link dropConnections} ends. */
  async signIn(key: string, options: Parameters<typeof visit>[2] & { name?: string; hash?: string } = {}) {
    const { name = 'Sam', hash = '', ...rest } = options;
    const visited = await visit(this.browser, this.url + hash, rest);
    const stream = visited.page.waitForResponse('**/admin/events?*');
    // Not all tests wait for it, and not all roles have one.
    stream.catch(() => undefined);
    await enter(visited.page, key, name);
    await visited.page.locator('nav').getByRole('link').first().waitFor();
    return { ...visited, stream };
  }
}

export async function enter(page: Page, key: string, name = 'Sam'): Promise<void> {
  await page.getByLabel('Key').fill(key);
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function startStrippingProxy(port: number, isLost: (request: string) => boolean): Promise<Server> {
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(PATH)) return void response.writeHead(404).end();
    const { method, headers } = request;
    const path = request.url.slice(PATH.length);
    const target = forward({ port, method, headers, path }, (answer) => {
      if (isLost(`${method} ${path}`)) return void response.destroy();
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    target.on('error', () => response.destroy());
    response.on('close', () => target.destroy());
    request.pipe(target);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
