/**
 * Tools of servers that nobody here wrote, over streamable HTTP: the reference server of the protocol's authors (npm), and
 * their clock (PyPI) behind mcp-proxy and behind FastMCP. A model, whose words are given, lists, calls and misuses them in
 * turns with the service. What cannot be had is left out, visibly.
 *
 *   npm run verify -- mcp
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { npmPackages, pythonPackages } from '../../scripts/cached.mjs';
import { ask, directory, freePort, launch, Report, startService, tokenOf } from './harness.mjs';

const START_LIMIT_MS = 60_000;
const TIME = { source_timezone: 'Europe/Berlin', time: '12:00', target_timezone: 'Asia/Tokyo' };
/** A call, what its result has to hold, and one that the server refuses. */
const CLOCK = {
  tool: 'convert_time',
  good: [TIME, /19:00|20:00/],
  bad: [{ ...TIME, target_timezone: 'Mars/Olympus' }, /timezone/i],
};

const everything = npmPackages('mcp-everything', ['@modelcontextprotocol/server-everything@2026.8.31']);
const clock = pythonPackages('mcp-fastmcp', ['fastmcp==4.1.6', 'mcp-server-time==2026.10.19']);
const proxy = clock && pythonPackages('mcp-proxy', ['mcp-proxy==0.13.0']);
const timeServer = clock && join(clock, 'bin/mcp-server-time');
const config = join(directory, 'mcp.json');
writeFileSync(config, JSON.stringify({ mcpServers: { clock: { command: timeServer } } }));

/** @type {{ name: string, place?: string, command: (port: number) => [string, ...string[]], tool: string, good: any[], bad: any[] }[]} */
const SERVERS = [
  {
    name: 'server-everything',
    place: everything,
    command: () => [
      process.execPath,
      join(String(everything), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
      'streamableHttp',
    ],
    tool: 'get-sum',
    good: [{ a: 20, b: 22 }, /42/],
    bad: [{ a: 'twenty', b: 22 }, /invalid_arguments/],
  },
  {
    name: 'mcp-server-time behind mcp-proxy',
    place: proxy,
    command: (port) => [
      join(String(proxy), 'bin/mcp-proxy'),
      '--host',
      '127.0.0.1',
      '--port',
      `${port}`,
      String(timeServer),
    ],
    ...CLOCK,
  },
  {
    name: 'mcp-server-time behind FastMCP',
    place: clock,
    command: (port) => [
      join(String(clock), 'bin/fastmcp'),
      'run',
      config,
      '--transport',
      'http',
      '--host',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--no-banner',
    ],
    ...CLOCK,
  },
];

/** Passes requests on, and remembers the revision of the protocol that they name. */
async function relayTo(port) {
  const seen = { revision: '' };
  const server = createServer((request, response) => {
    seen.revision = String(request.headers['mcp-protocol-version'] ?? seen.revision);
    const headers = { ...request.headers, host: `127.0.0.1:${port}` };
    const onward = httpRequest(
      { port, host: '127.0.0.1', path: request.url, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    seen,
    url: `http://127.0.0.1:${address.port}/mcp`,
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

/** Waits until something answers at a port. */
async function untilAnswered(port) {
  const end = Date.now() + START_LIMIT_MS;
  while ((await ask(port, '/mcp')).status === 0) {
    if (Date.now() > end) throw new Error(`Nothing listens at ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const { ModelStub } = await import('../../dist/testing/index.js');
const report = new Report('npm run verify -- mcp');
for (const { name, place, command, tool, good, bad } of SERVERS) {
  if (!place) {
    report.row(name, '', 'not to be had here');
    continue;
  }
  const port = await freePort();
  const [program, ...args] = command(port);
  const server = launch(program, args, { env: { PORT: `${port}`, HOME: directory }, stderr: 'ignore' });
  await untilAnswered(port);
  const relay = await relayTo(port);
  const model = await new ModelStub().start();
  const catalogue = join(directory, 'catalogue.json');
  const {
    avatars: [ada],
    ...shipped
  } = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
  writeFileSync(
    catalogue,
    JSON.stringify({
      ...shipped,
      avatars: [{ ...ada, engine: model.entry({ tools: ['other.*'] }) }],
      projects: [
        {
          project_id: 'default',
          avatars: [ada._id],
          languages: ['en'],
          tool_servers: [{ name: 'other', url: relay.url }],
        },
      ],
    }),
  );
  const service = await startService({ MONGODB_URI: 'embedded::memory:', CATALOGUE_FILE: catalogue });
  const token = await tokenOf(service.port);
  const say = () =>
    ask(service.port, '/chat', { method: 'POST', token, body: { avatar_id: ada._id, request: 'What is it?' } });
  /** @returns {any} */
  const lastRequest = () => model.requests.at(-1);
  const offered = () => (lastRequest().tools ?? []).map((one) => one.function.name);
  /** Has the model call the tool. @returns what it was told */
  const told = async (given) => {
    const named = `other-${tool}`;
    model.answer = ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? ['So it is.'] : [ModelStub.callOf(named, given)];
    const { status } = await say();
    const { role, content } = lastRequest().messages.at(-1);
    return status === 201 && role === 'tool' ? String(content) : `status ${status}`;
  };
  const fitting = (text, pattern) => (pattern.test(text) ? 'yes' : text.slice(0, 200));
  const rows = [
    ['is told the result of a call', fitting(await told(good[0]), good[1])],
    ['is told why a call failed', fitting(await told(bad[0]), bad[1])],
    ['is offered the tool', offered().includes(`other-${tool}`) ? 'yes' : offered().join(', ')],
  ];
  await server.stop();
  model.answer = () => ['I cannot look it up.'];
  // A list is used for ten seconds.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  const { body } = await say();
  const isTold = String(lastRequest().messages[0].content).includes('The tools of other are not available now.');
  rows.push([
    'answers without a server that has stopped',
    body?.incoming?.answer && isTold ? 'yes' : JSON.stringify(body),
  ]);
  for (const [what, seen] of rows) report.row(`${name}: the model ${what}`, 'yes', seen, seen === 'yes');
  report.row(`${name}: revision of the protocol`, '', relay.seen.revision);
  await service.stop();
  model.stop();
  relay.stop();
}
report.end();
