import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { Logger } from '@nestjs/common';
import { McpConnection, OutgoingHttp } from 'avatar-chat-runtime';
import { AdminService, CatalogueService } from '../../src/index.js';
import { cli, setCliVariables } from '../support/cli.js';
import { PUPPET } from '../support/engines.js';
import {
  anyServer,
  aProject,
  aUser,
  createTestApp,
  type Receiver,
  startReceiver,
  type TestApp,
} from '../support/index.js';
import { type McpKind, McpServer } from '../support/mcp-server.js';
import { ModelStub } from '../../src/testing/index.js';

const tool = (name: string, properties: object = {}, more: object = {}): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties, ...more } as Tool['inputSchema'],
});
const FIND = tool('find_order', { number: { type: 'string', pattern: '^[0-9]{6}$' } }, { required: ['number'] });
/** Of more digits than JavaScript's numbers have. */
const LONG_NUMBER = '94001118992231974284';
const WEBHOOK_TOOL = {
  name: 'notify',
  description: 'Tells the shop.',
  parameters: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { 'a.b': { $ref: '#/$defs/text' }, words: { $ref: '#/$defs/text' } },
    $defs: { text: { type: 'string' } },
  },
};

let test: TestApp;
let model: ModelStub;
let crm: McpServer;
let shop: Receiver;
let servers: McpServer[];

beforeAll(async () => {
  process.env.PROVIDER_CRM = 'token-of-crm';
  process.env.PROVIDER_WHOLE = 'Basic dTpw';
  [model, shop] = await Promise.all([new ModelStub().start(), startReceiver()]);
  test = await createTestApp({ server: anyServer() });
});
beforeEach(async () => {
  servers = [];
  crm = await aServer();
  crm.tools = [FIND, tool('cancel.all')];
  model.requests.length = 0;
  shop.received.length = 0;
});
afterEach(() => Promise.all(servers.map((server) => server.stop())));
afterAll(async () => {
  await test?.close();
  model.stop();
  await shop.close();
  delete process.env.PROVIDER_CRM;
  delete process.env.PROVIDER_WHOLE;
});

async function aServer(kind?: McpKind): Promise<McpServer> {
  const server = await new McpServer(kind).start();
  servers.push(server);
  return server;
}

const catalogue = () => test.app.get(CatalogueService);
const apply = (file: object) => catalogue().apply(JSON.stringify(file));

/** A project with one avatar that has these tools. */
async function aShop(tools: string[], project: object = { tool_servers: [{ name: 'crm', url: crm.url }] }) {
  const project_id = aProject();
  const avatar = `${project_id.slice(0, 20)}-ann`;
  await apply({
    avatars: [{ ...PUPPET, _id: avatar, engine: model.entry({ tools }) }],
    projects: [{ project_id, avatars: [avatar], languages: ['en'], ...project }],
  });
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const say = async (request = 'Where is my order?') => {
    const { status, body } = await test.call({
      method: 'POST',
      path: '/chat',
      token,
      body: { avatar_id: avatar, request },
    });
    return { status, answer: body.incoming?.answer as string };
  };
  return { project_id, avatar, user_id, say };
}

/** Has the model call a tool once, then say what came of it. */
const callThen = (name: string, args: object | string, id = 'c1') => {
  model.answer = ({ messages }) => {
    const result = messages.at(-1)!;
    if (result.role === 'tool') return [`It says ${result.content}`];
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    return [{ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: text } }] }];
  };
};
const offered = (request = model.requests[0]!) => (request.tools ?? []).map((one) => one.function.name);
const told = () => JSON.parse(String(model.requests.at(-1)!.messages.at(-1)!.content)) as unknown;
const prompt = () => String(model.requests.at(-1)!.messages[0]!.content);

describe('tools of servers', () => {
  it.each<[string, McpKind]>([
    ['a stream of events', 'stream'],
    ['JSON', 'json'],
    ['what the revision without sessions says', 'stateless'],
  ])('are offered, checked and called, by a server that answers with %s', async (_, kind) => {
    const server = await aServer(kind);
    server.tools = [FIND, tool('cancel.all')];
    server.call = (_name, { number }) => ({
      content: [{ type: 'text', text: JSON.stringify({ number, state: 'sent' }) }],
    });
    const { say } = await aShop(['crm.*'], { tool_servers: [{ name: 'crm', url: server.url }] });
    callThen('crm-find_order', { number: '123456' });
    expect(await say()).toEqual({ status: 201, answer: 'It says {"number":"123456","state":"sent"}' });
    expect(offered()).toEqual(['crm-find_order', 'crm-cancel-all']);
    expect(server.calls).toEqual([{ name: 'find_order', args: { number: '123456' } }]);
    callThen('crm-find_order', { number: 'all of them' });
    expect((await say()).answer).toMatch('arguments/number must match pattern');
    expect(server.calls).toHaveLength(1);
    expect(server.requests.map(({ method }) => method)).not.toContain('GET');
    expect(server.requests.some(({ rpc }) => rpc === 'initialize')).toBe(kind !== 'stateless');
    const whole = tool('find_parcel', { id: { type: 'integer' }, note: { type: 'string' } });
    server.tools = [whole];
    test.clock.advance(10_000);
    callThen('crm-find_parcel', `{"id": ${LONG_NUMBER}, "note": "${LONG_NUMBER} \\"$&\\""}`);
    await say();
    const { body } = server.requests.findLast(({ rpc }) => rpc === 'tools/call')!;
    expect(body).toContain(`"arguments":{"id":${LONG_NUMBER},"note":"${LONG_NUMBER} \\"$&\\""}`);
    const metrics = await test.call({ path: '/metrics' });
    for (const result of ['answered', 'invalid_arguments'])
      expect(metrics.text).toMatch(`chat_tool_duration_seconds_count{source="server",result="${result}"}`);
  });

  it('are asked by the older revision if a server fails at the question for the newest', async () => {
    crm.intercept = ({ headers }, response) => {
      if (headers['mcp-method'] !== 'server/discover') return false;
      response.writeHead(500).end('{}');
      return true;
    };
    const { say } = await aShop(['crm.*']);
    model.answer = () => ['Hi.'];
    await say();
    expect(offered()).toEqual(['crm-find_order', 'crm-cancel-all']);
  });

  it('are those that the avatar names, and that the project allows', async () => {
    crm.tools = [FIND, tool('cancel.all'), tool('peek')];
    const allow = ['find_order', 'peek'];
    const server = { name: 'crm', url: crm.url, allow };
    const { say } = await aShop(['crm.peek'], { tool_servers: [server] });
    model.answer = () => ['Hi.'];
    await say();
    expect(offered()).toEqual(['crm-peek']);
    const other = await aShop(['crm.*'], { tool_servers: [server] });
    await other.say();
    expect(offered(model.requests.at(-1))).toEqual(['crm-find_order', 'crm-peek']);
  });

  it.each([
    ['PROVIDER_CRM', 'Bearer token-of-crm'],
    ['PROVIDER_WHOLE', 'Basic dTpw'],
  ])('send the token of %s', async (authorization_env, header) => {
    const { say } = await aShop(['crm.*'], { tool_servers: [{ name: 'crm', url: crm.url, authorization_env }] });
    model.answer = () => ['Hi.'];
    await say();
    expect(new Set(crm.requests.map(({ authorization }) => authorization))).toEqual(new Set([header]));
  });

  it('of two projects that name their server alike do not mix', async () => {
    const theirs = await aServer();
    theirs.tools = [tool('secret')];
    const [ours, others] = [
      await aShop(['crm.*']),
      await aShop(['crm.*'], { tool_servers: [{ name: 'crm', url: theirs.url }] }),
    ];
    model.answer = () => ['Hi.'];
    for (const { say } of [ours, others, ours]) await say();
    expect(model.requests.map((request) => offered(request))).toEqual([
      ['crm-find_order', 'crm-cancel-all'],
      ['crm-secret'],
      ['crm-find_order', 'crm-cancel-all'],
    ]);
    callThen('crm-secret', {});
    expect((await ours.say()).answer).toContain('unknown_tool');
    expect([...crm.calls, ...theirs.calls]).toEqual([]);
  });

  it('have names that models can say: long ones and doubles with a digest', async () => {
    const long = 'x'.repeat(64);
    crm.tools = [tool('a.b'), tool('a-b'), tool(long), tool('no such name!'), tool('zürich')];
    const { say, project_id } = await aShop(['crm.*']);
    model.answer = () => ['Hi.'];
    await say();
    const names = offered();
    expect(names).toHaveLength(3);
    expect(names[0]).toBe('crm-a-b');
    expect(names[1]).toMatch(/^crm-a-b-[0-9a-f]{8}$/);
    expect(names[2]).toMatch(/^crm-x{51}-[0-9a-f]{8}$/);
    callThen(names[2]!, {});
    await say();
    expect(crm.calls).toEqual([{ name: long, args: {} }]);
    const { leftOut } = await leftOutOf(project_id);
    expect(leftOut!.map(({ name }) => name)).toEqual(['no such name!', 'zürich']);
  });

  it('with schemas that are none, too long or explosive do no harm', async () => {
    const self = { $ref: '#' };
    crm.tools = [
      FIND,
      tool('wrong', { a: { type: 'strong' } }),
      tool('huge', { a: { description: 'x'.repeat(20_000) } }),
      tool('slow', { text: { type: 'string', pattern: '^(a+)+$' } }),
      tool('deep', { a: { allOf: [self, self] } }),
    ];
    const { say, project_id } = await aShop(['crm.*']);
    callThen('crm-slow', { text: `${'a'.repeat(50)}!` });
    expect((await say()).answer).toContain('invalid_arguments');
    expect(offered()).toEqual(['crm-find_order', 'crm-slow', 'crm-deep']);
    callThen('crm-deep', `${'{"a":'.repeat(40)}{}${'}'.repeat(40)}`);
    expect((await say()).answer).toContain('invalid_arguments');
    expect(crm.calls).toEqual([]);
    const { leftOut } = await leftOutOf(project_id);
    expect(leftOut!.map(({ name }) => name)).toEqual(['wrong', 'huge']);
  });

  it('are offered beside those that break the protocol, which are left out', async () => {
    const broken: unknown[] = [
      { name: 'bare' },
      { name: 'listed', inputSchema: [] },
      { name: 7, inputSchema: {} },
      null,
      'text',
    ];
    crm.tools = [
      ...(broken as Tool[]),
      { ...FIND, description: null as never },
      { ...FIND, name: 'odd', description: { toString: 1 } as never },
    ];
    const { say, project_id } = await aShop(['crm.*']);
    model.answer = () => ['Fine.'];
    await say();
    expect(offered()).toEqual(['crm-find_order', 'crm-odd']);
    expect((await leftOutOf(project_id)).leftOut!.map(({ name }) => name)).toEqual(['bare', 'listed', '', '', '']);
  });

  it.each<[string, (args: object) => unknown, object]>([
    [
      'fails in its own words',
      () => ({ isError: true, content: [{ type: 'text', text: 'No such order' }] }),
      { error: 'tool_failed', message: 'No such order' },
    ],
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      { error: 'tool_failed' },
    ],
    [
      'returns 10 MiB',
      () => ({ content: [{ type: 'text', text: 'x'.repeat(10 * 1024 * 1024) }] }),
      { error: 'result_too_large' },
    ],
    [
      'returns 20 KiB',
      () => ({ content: [{ type: 'text', text: 'x'.repeat(20 * 1024) }] }),
      { error: 'result_too_large' },
    ],
    ['never returns', () => new Promise(() => undefined), { error: 'tool_timed_out' }],
  ])('that %s do not fail the turn', async (_, call, failure) => {
    crm.call = (_name, args) => call(args);
    const { say } = await aShop(['crm.*']);
    callThen('crm-find_order', { number: '123456' });
    expect((await say()).status).toBe(201);
    expect(told()).toEqual(failure);
    crm.call = () => ({ content: [], structuredContent: { state: 'sent' } });
    expect((await say()).answer).toBe('It says {"state":"sent"}');
  });

  it.each([
    ['9400111899223197428490', '"9400111899223197428490"'],
    ['1.10', '"1.10"'],
    [
      '{"parcel":9400111899223197428490,"paid":12.5,"note":"1234567890123456789"}',
      '{"parcel":"9400111899223197428490","paid":12.5,"note":"1234567890123456789"}',
    ],
  ])('keep the digits of %s', async (text, result) => {
    crm.call = () => ({ content: [{ type: 'text', text }] });
    const { say } = await aShop(['crm.*']);
    callThen('crm-find_order', { number: '123456' });
    expect((await say()).answer).toBe(`It says ${result}`);
  });

  it('keep the digits of structured content, if the text has the same', async () => {
    const text = '{"parcel":9400111899223197428490}';
    crm.call = () => ({ content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as object });
    const { say } = await aShop(['crm.*']);
    callThen('crm-find_order', { number: '123456' });
    expect((await say()).answer).toBe('It says {"parcel":"9400111899223197428490"}');
    crm.call = () => ({ content: [{ type: 'text', text: '{"state":"sent"}' }], structuredContent: { state: 'lost' } });
    expect((await say()).answer).toBe('It says {"state":"lost"}');
  });

  it('change: the next turns have the new ones; a session that the server forgot is opened anew', async () => {
    const { say } = await aShop(['crm.*']);
    model.answer = () => ['Hi.'];
    await say();
    crm.tools = [tool('other')];
    crm.forget();
    test.clock.advance(15_000);
    await say();
    expect(offered(model.requests.at(-1))).toEqual(['crm-other']);
    crm.forget();
    callThen('crm-other', {});
    expect((await say()).answer).toBe('It says "done"');
  });

  it('of several calls of a forgotten session, the first opens one for all, and none ends it', async () => {
    const connection = new McpConnection(test.app.get(OutgoingHttp), new URL(crm.url), () => undefined);
    const callTool = () => connection.callTool('find_order', '{}', AbortSignal.timeout(5000));
    await callTool();
    crm.requests.length = 0;
    const forgotten: ServerResponse[] = [];
    crm.intercept = (_request, response) => {
      if (crm.requests.at(-1)!.rpc !== 'tools/call' || forgotten.length === 2) return false;
      if (forgotten.push(response) === 2) forgotten[0]!.writeHead(404).end('{}');
      return true;
    };
    // The second call learns that the session is gone while the first uses a new one.
    let finish: () => void;
    const both = new Promise<void>((resolve) => (finish = resolve));
    crm.call = async () => {
      if (forgotten[1]!.headersSent) finish();
      else forgotten[1]!.writeHead(404).end('{}');
      await both;
      return { content: [] };
    };
    expect(await Promise.all([callTool(), callTool()])).toEqual([{ content: [] }, { content: [] }]);
    expect(crm.requests.map(({ method, rpc }) => rpc ?? method).filter((one) => one !== 'tools/call')).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ]);
    connection.close();
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['hangs', () => undefined],
    ['redirects', (response) => void response.writeHead(307, { location: shop.url }).end()],
    ['fails', (response) => void response.writeHead(500).end('{}')],
    [
      'returns no JSON',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
    ],
    [
      'returns 10 MiB',
      (response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(10 * 1024 * 1024)),
    ],
    ['hangs up', (response) => void response.destroy()],
  ])(
    'of a server that %s are not offered; it is not asked again for 30 s',
    async (_, answer) => {
      const { say } = await aShop(['crm.find_order']);
      crm.intercept = (_request, response) => {
        answer(response);
        return true;
      };
      model.answer = () => ['I cannot look it up.'];
      expect(await say()).toEqual({ status: 201, answer: 'I cannot look it up.' });
      expect(offered()).toEqual([]);
      expect(prompt()).toContain('The tools of crm are not available now.');
      const asked = crm.requests.length;
      test.clock.advance(29_000);
      await say();
      expect([crm.requests.length, shop.received]).toEqual([asked, []]);
      expect(prompt()).toContain('The tools of crm are not available now.');
      crm.intercept = () => false;
      test.clock.advance(2000);
      await say();
      expect(offered(model.requests.at(-1))).toEqual(['crm-find_order']);
      expect(prompt()).not.toContain('not available');
    },
    30_000,
  );
});

describe('webhook tools', () => {
  const project = (more: object = {}) => ({ webhook_tools: [{ ...WEBHOOK_TOOL, url: shop.url, ...more }] });

  it('are signed requests with the turn, and answer with JSON', async () => {
    const { say, project_id, user_id, avatar } = await aShop(['notify'], project());
    shop.answer = (response) => void response.writeHead(200).end('{"done":true}');
    callThen('notify', { words: 'hello' });
    expect((await say()).answer).toBe('It says {"done":true}');
    const { headers, body } = shop.received[0]!;
    expect(JSON.parse(body)).toEqual({
      tool: 'notify',
      arguments: { words: 'hello' },
      project_id,
      user_id,
      avatar_id: avatar,
      message_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      attempt: 1,
    });
    const { webhook_tools } = await test.app.get(AdminService).showProject(project_id);
    const secret = (webhook_tools as { secret?: string }[])[0]!.secret!;
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    callThen('notify', { words: 7 });
    expect((await say()).answer).toContain('invalid_arguments');
    expect(shop.received).toHaveLength(1);
    expect(await catalogue().export()).not.toContain(secret);
  });

  it('keep all digits, and may begin with a byte order mark', async () => {
    const { say } = await aShop(['notify'], project());
    shop.answer = (response) => void response.writeHead(200).end('\ufeff[{"id":-12345678901234567890},1e5]');
    callThen('notify', `{"words": "$1", "id": ${LONG_NUMBER}, "far": 1e999}`);
    expect((await say()).answer).toBe('It says [{"id":"-12345678901234567890"},100000]');
    expect(shop.received[0]!.body).toContain(`"arguments":{"words":"$1","id":${LONG_NUMBER},"far":1e999},"project_id"`);
  });

  it.each<[string, (response: ServerResponse) => void, object]>([
    ['fails', (response) => void response.writeHead(500).end('{"a":1}'), { error: 'tool_failed' }],
    ['redirects', (response) => void response.writeHead(302, { location: '/' }).end(), { error: 'tool_failed' }],
    ['returns no JSON', (response) => void response.writeHead(200).end('<html>'), { error: 'tool_failed' }],
    [
      'returns 10 MiB',
      (response) => void response.writeHead(200).end(`"${'x'.repeat(10_000_000)}"`),
      { error: 'result_too_large' },
    ],
    ['hangs', () => undefined, { error: 'tool_timed_out' }],
  ])('of a server that %s do not fail the turn', async (_, answer, failure) => {
    const { say } = await aShop(['notify'], project());
    shop.answer = answer;
    callThen('notify', {});
    const warned = jest.spyOn(Logger.prototype, 'warn');
    expect((await say()).status).toBe(201);
    expect(told()).toEqual(failure);
    expect(warned.mock.calls.filter(([line]) => JSON.stringify(line).includes('notify'))).toHaveLength(1);
    warned.mockRestore();
  });

  it('keep schemas with any field names, word for word', async () => {
    const { project_id } = await aShop(['notify'], project());
    const { projects } = JSON.parse(await catalogue().export()) as {
      projects: { project_id: string; webhook_tools: object }[];
    };
    expect(projects.find((one) => one.project_id === project_id)!.webhook_tools).toEqual([
      { ...WEBHOOK_TOOL, url: shop.url },
    ]);
  });
});

describe('the catalogue', () => {
  const faults = async (project: object, tools: string[] = []) =>
    catalogue().check(
      JSON.stringify({
        avatars: [{ ...PUPPET, _id: 'cat-ann', engine: model.entry({ tools }) }],
        projects: [{ project_id: 'cat', avatars: ['cat-ann'], languages: ['en'], ...project }],
      }),
    );
  const url = 'http://127.0.0.1:9/mcp';
  const hook = { ...WEBHOOK_TOOL, url };

  it.each<[string, object, string[], string, RegExp]>([
    ['a server that the project lacks', {}, ['crm.find'], 'projects[0].avatars[0]', /no tool server "crm"/],
    ['a tool that nobody has', {}, ['find'], 'projects[0].avatars[0]', /no tool "find"/],
    [
      'a tool that is not allowed',
      { tool_servers: [{ name: 'crm', url, allow: ['a'] }] },
      ['crm.b'],
      'projects[0].avatars[0]',
      /does not allow "b"/,
    ],
    [
      'a name used twice',
      { tool_servers: [{ name: 'crm', url }], webhook_tools: [{ ...hook, name: 'crm' }] },
      [],
      'projects[0].webhook_tools[0].name',
      /repeats that of tool_servers\[0\]/,
    ],
    [
      'the name of the tool that hands over, which would hide it',
      { handover: { enabled: true }, webhook_tools: [{ ...hook, name: 'hand_over' }] },
      [],
      'projects[0].webhook_tools[0].name',
      /repeats that of the tool that hands over/,
    ],
    [
      'a name that is none',
      { tool_servers: [{ name: 'My-CRM', url }] },
      [],
      'projects[0].tool_servers[0].name',
      /must match/,
    ],
    [
      'a URL that is none',
      { tool_servers: [{ name: 'crm', url: 'http://a:b@host/' }] },
      [],
      'projects[0].tool_servers[0].url',
      /without name and password/,
    ],
    [
      'a variable that is not for it',
      { tool_servers: [{ name: 'crm', url, authorization_env: 'HOME' }] },
      [],
      'projects[0].tool_servers[0].authorization_env',
      /PROVIDER_/,
    ],
    [
      'a secret that is not for it',
      { webhook_tools: [{ ...hook, secret_env: 'JWT_SECRET' }] },
      [],
      'projects[0].webhook_tools[0].secret_env',
      /PROVIDER_/,
    ],
    [
      'arguments that are no object',
      { webhook_tools: [{ ...hook, parameters: { type: 'array' } }] },
      [],
      'projects[0].webhook_tools[0].parameters',
      /"object"/,
    ],
    [
      'a schema that is none',
      { webhook_tools: [{ ...hook, parameters: { type: 'object', required: 7 } }] },
      [],
      'projects[0].webhook_tools[0].parameters',
      /JSON Schema/,
    ],
    [
      'no description',
      { webhook_tools: [{ ...hook, description: '' }] },
      [],
      'projects[0].webhook_tools[0].description',
      /fewer than 1/,
    ],
    ['a name that is no name', { avatars: [] }, ['crm.'], 'avatars[0].engine.tools', /must be a list/],
  ])('refuses %s', async (_, project, tools, place, problem) => {
    expect(await faults(project, tools)).toEqual([{ place, problem: expect.stringMatching(problem) }]);
  });

  it('takes what is right without asking any server', async () => {
    expect(
      await faults({ tool_servers: [{ name: 'crm', url: crm.url }], webhook_tools: [hook] }, ['crm.*', 'notify']),
    ).toEqual([]);
    expect(crm.requests).toEqual([]);
  });

  it('refuses a change that takes away what an avatar of another file needs', async () => {
    const { project_id, avatar } = await aShop(['crm.*']);
    const text = { projects: [{ project_id, avatars: [avatar], languages: ['en'] }] };
    expect(await catalogue().check(JSON.stringify(text))).toEqual([
      { place: 'projects[0].avatars[0]', problem: 'for its tools, the project has no tool server "crm"' },
    ]);
    const avatars = [{ ...PUPPET, _id: avatar, engine: model.entry({ tools: ['erp.x'] }) }];
    expect(await catalogue().check(JSON.stringify({ avatars }))).toEqual([
      { place: 'avatars[0].engine.tools', problem: `the project ${project_id} has no tool server "erp"` },
    ]);
  });
});

it('the command line lists the tools of a project, and says why there are none', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'avatar-chat-tools-'));
  const commands = await createTestApp({ server: anyServer() });
  try {
    setCliVariables(commands, dir);
    const down = await aServer();
    down.intercept = (_request, response) => Boolean(response.writeHead(503).end());
    crm.tools = [{ ...FIND, description: 'Finds\n\u001b[31m orders.' }, tool('no such name!')];
    const servers = [
      { name: 'crm', url: crm.url },
      { name: 'erp', url: down.url },
    ];
    const project = { avatars: [], languages: ['en'], webhook_tools: [{ ...WEBHOOK_TOOL, url: shop.url }] };
    await commands.app.get(CatalogueService).apply(
      JSON.stringify({
        projects: [
          { ...project, project_id: 'all', tool_servers: servers.slice(0, 1) },
          { ...project, project_id: 'some', tool_servers: servers },
        ],
      }),
    );
    const lines = [
      'crm.find_order  Finds [31m orders.',
      'crm: "no such name!" is left out: its name is not one of 1-64 of A-Z, a-z, 0-9, _, . and -',
    ];
    expect(await cli('tools list --project all')).toEqual({
      code: 0,
      out: [...lines, 'notify  Tells the shop.', ''].join('\n'),
      err: '',
    });
    const some = await cli('tools list --project some');
    expect([some.code, some.out.split('\n')]).toEqual([
      1,
      [...lines, 'erp: not available: it answers with 503', 'notify  Tells the shop.', ''],
    ]);
    expect((await cli('tools list --project nowhere')).code).toBe(1);
    expect((await cli('tools list')).code).toBe(2);
  } finally {
    await commands.close();
    await rm(dir, { recursive: true, force: true });
  }
});

/** What `tools list` says of the server of a project. */
async function leftOutOf(project_id: string) {
  const { ProjectTools } = await import('../../src/tools/index.js');
  const [list] = await test.app.get(ProjectTools, { strict: false }).list(project_id);
  return list!;
}
