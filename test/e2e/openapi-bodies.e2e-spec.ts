import { readFileSync } from 'node:fs';
import { ChatService } from '../../src/index.js';
import { anOwner, anyServer, aTurn, createTestApp, type TestApp } from '../support/index.js';

const KEY = 'k'.repeat(40);
type Operation = {
  operationId: string;
  security?: Record<string, unknown>[];
  requestBody?: { content: Record<string, { example?: object }> };
};
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
/** What a page that sends requests has in its field for the body at first. */
const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const json = operation.requestBody?.content['application/json'];
    return json ? [[method.toUpperCase(), path, json.example, operation] as const] : [];
  }),
);

describe('the default bodies of the OpenAPI document', () => {
  let test: TestApp;
  const owner = anOwner();
  let parameters: Record<string, string>;
  beforeAll(async () => {
    test = await createTestApp({ server: anyServer(), config: { adminKey: KEY } });
    const { incoming } = await test.app.get(ChatService).record(aTurn({ owner }));
    parameters = { message_id: incoming._id, project_id: owner.project_id, user_id: owner.user_id };
  });
  afterAll(() => test.close());

  it.each(bodies)('%s %s accepts %j', async (method, path, body, { security }) => {
    expect(body).toBeDefined();
    const isAdmin = security?.some((scheme) => 'admin' in scheme);
    const query = isAdmin ? `?${new URLSearchParams({ project_id: owner.project_id })}` : '';
    const filled = path.replace(/#.*/, '').replace(/\{(\w+)\}/g, (_, name: string) => parameters[name]!);
    const { status, text } = await test.call({
      method: method as 'POST',
      path: filled + query,
      token: isAdmin ? KEY : await test.token(owner.user_id, owner.project_id),
      body,
    });
    // A conflict depends on what is stored, not on the body.
    expect([status < 300 || status === 409, text]).toEqual([true, expect.anything()]);
  });
});

it('sends requests of the page below the path of PUBLIC_URL', async () => {
  const test = await createTestApp({ server: anyServer(), config: { publicUrl: 'https://chat.example/talk' } });
  try {
    const { body } = await test.call({ path: '/docs-json' });
    expect(body.servers).toEqual([{ url: '/talk' }]);
  } finally {
    await test.close();
  }
});
