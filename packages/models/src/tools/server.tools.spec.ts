import { Ajv } from 'ajv';
import type { McpConnection } from 'avatar-chat-runtime';
import { ServerTools } from './server.tools.js';

let listed: unknown[];
let now: number;
let tools: ServerTools;

beforeEach(() => {
  now = 0;
  const connection = { listTools: async () => listed, close: () => undefined } as unknown as McpConnection;
  const clock = { monotonic: () => now, now: () => now };
  tools = new ServerTools({ name: 'crm', url: 'http://127.0.0.1/' }, connection, clock as never, () => undefined);
});

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object', ...more } });
/** Takes a second to compile, or longer; each is another. */
const slow = (at: number) =>
  tool(`slow_${at}`, { anyOf: Array.from({ length: 850 }, (_, n) => ({ minimum: n + at })) });

it('checks the arguments of many tools beside other work, and a schema once', async () => {
  const compile = jest.spyOn(Ajv.prototype, 'compile');
  const names = Array.from({ length: 40 }, (_, at) => `find_${at}`);
  listed = names.map((name) => tool(name, { properties: { [name]: { type: 'string' } } }));
  let turns = 0;
  const other = setInterval(() => turns++);
  const { tools: first } = await tools.list();
  clearInterval(other);
  expect(first.map(({ name }) => name)).toEqual(names.map((name) => `crm.${name}`));
  expect(compile).toHaveBeenCalledTimes(40);
  expect(turns).toBeGreaterThan(0);

  // A server may tell the time in its descriptions.
  listed = listed.map((one) => ({ ...(one as object), description: 'At nine.' }));
  now += 10_000;
  const { tools: second } = await tools.list();
  expect(second[0]).toMatchObject({ name: 'crm.find_0', description: 'At nine.' });
  expect(second[0]!.check({ find_0: 1 })).toBe('arguments/find_0 must be string');
  expect(compile).toHaveBeenCalledTimes(40);
  compile.mockRestore();
});

it('does not check more than it has time for, and goes on at the next list', async () => {
  listed = [...Array.from({ length: 40 }, (_, at) => slow(at)), tool('find', { required: ['number'] })];
  const { leftOut } = await tools.list();
  expect(leftOut.at(-1)).toEqual({ name: 'find', reason: 'its arguments could not be checked in time' });

  listed = listed.slice(-1);
  now += 10_000;
  expect((await tools.list()).tools.map(({ name }) => name)).toEqual(['crm.find']);
}, 60_000);
