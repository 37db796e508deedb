import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import { OutgoingHttp } from 'avatar-chat-runtime';
import { ConfigError } from 'avatar-chat-settings';
import { Config } from '../platform/config/index.js';
import { TestClock } from '../testing/test-clock.js';
import { engineParts } from '../../test/support/engine-parts.js';
import { type EngineTurn, RETRACT, EngineTool, OpenAiEngine, OpenAiServers } from 'avatar-chat-models';
import { ModelEngine } from './model.engine.js';
import { ScriptedEngine } from './scripted.engine.js';
import { ToolRegistry } from './tools/tool.registry.js';

class ImpatientEngine extends ModelEngine {
  override firstWordsMs = 60_000;
}

const said = (text: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
const events = { 'content-type': 'text/event-stream' };

let server: Server;
let answer: (response: ServerResponse) => void;
let heard: (() => void) | undefined;
let asked: {
  model: string;
  messages: { role: string; content: string }[];
  key?: string;
}[];
let http: OutgoingHttp;
const clock = new TestClock();
beforeAll(async () => {
  Logger.overrideLogger(false);
  server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    asked.push({ ...JSON.parse(body), key: request.headers.authorization });
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  http.closeIdle();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  heard = undefined;
  delete process.env.OPENAI_API_KEY;
});
afterAll(() => delete process.env.OPENAI_API_KEY);

const engineWith = (values: object = {}, tools?: ToolRegistry) => {
  const openAiBaseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const config = new Config({ openAiModel: 'tiny', openAiBaseUrl, ...values });
  http = new OutgoingHttp(config);
  return new ImpatientEngine(
    config,
    clock,
    new OpenAiEngine(new OpenAiServers(config, http), engineParts(tools)),
    new ScriptedEngine(),
  );
};
const reply = async (engine: ModelEngine, more: Partial<EngineTurn> = {}) => {
  const turn: EngineTurn = {
    project_id: 'default',
    user_id: 'ann',
    avatar: { _id: 'ada', name: 'Ada', greetingText: 'Hi' },
    engine: { kind: 'scripted', script: 'ada' },
    language_code: 'de',
    chat_type: 'text',
    request: 'Hallo',
    message_id: '65f0c0ffee0000000000abcd',
    attempt: 1,
    history: [],
    signal: new AbortController().signal,
    ...more,
  };
  let text = '';
  for await (const piece of engine.reply(turn)) {
    text = piece === RETRACT ? '' : text + piece;
    heard?.();
  }
  return text;
};
const script = () => reply(engineWith({ openAiBaseUrl: 'http://127.0.0.1:9/v1' }));

it('answers by the model, with the personality of the avatar and the language of the user', async () => {
  answer = (response) => response.writeHead(200, events).end(`${said('Guten ')}${said('Tag')}data: [DONE]\n\n`);
  const entry = {
    kind: 'scripted',
    script: 'ada',
    system_prompt: 'You are a lighthouse keeper.',
  };
  expect(await reply(engineWith(), { engine: entry })).toBe('Guten Tag');
  expect(await reply(engineWith())).toBe('Guten Tag');
  const [own, usual] = asked.map(({ messages }) => messages[0]!.content);
  expect(own).toMatch(/^You are a lighthouse keeper\.[^]*Answer in German \(de\)\./);
  expect(usual).toMatch(/^You are Ada, /);
  expect(asked[0]).toMatchObject({ model: 'tiny', key: 'Bearer none' });
});

it('sends the key that is set', async () => {
  process.env.OPENAI_API_KEY = 'sk-1';
  answer = (response) => response.writeHead(200, events).end(`${said('Hi')}data: [DONE]\n\n`);
  await reply(engineWith());
  expect(asked[0]?.key).toBe('Bearer sk-1');
});

it.each<[string, (response: ServerResponse) => void]>([
  ['refuses', (response) => void response.writeHead(401).end('{}')],
  ['says nothing', (response) => void response.writeHead(200, events).end('data: [DONE]\n\n')],
  ['says what is no answer', (response) => void response.writeHead(200, events).end('data: <html>\n\n')],
])('answers by the script where the model %s', async (_, act) => {
  answer = act;
  const text = await reply(engineWith());
  expect(text).not.toBe('');
  expect(text).toBe(await script());
});

it('answers by the script where the model says nothing in time, and then lets it rest for a while', async () => {
  answer = () => undefined;
  const engine = engineWith();
  engine.firstWordsMs = 200;
  expect(await reply(engine)).toBe(await script());
  expect(await reply(engine)).toBe(await script());
  expect(asked).toHaveLength(1);
  engine.firstWordsMs = 60_000;
  answer = (response) => response.writeHead(200, events).end(`${said('Wach')}data: [DONE]\n\n`);
  clock.advance(30_000);
  expect(await reply(engine)).toBe('Wach');
});

it('lets the model call the tools of the avatar', async () => {
  @Injectable()
  class BusyTool extends EngineTool {
    readonly name = 'busy';
    readonly description = 'Does it.';
    readonly parameters = { type: 'object' };
    run = () => 'done';
  }
  const tools = new ToolRegistry({
    getProviders: () => [{ instance: new BusyTool() }],
  } as never);
  const calls = {
    tool_calls: [{ index: 0, id: 'a', function: { name: 'busy', arguments: '{}' } }],
  };
  answer = (response) => {
    const delta = asked.length < 4 ? calls : { content: 'Fertig' };
    response
      .writeHead(200, events)
      .end(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\ndata: [DONE]\n\n`);
  };
  const engine = engineWith({}, tools);
  const entry = { kind: 'scripted', script: 'ada', tools: ['busy'] };
  expect(await reply(engine, { engine: entry })).toBe('Fertig');
  expect(asked).toHaveLength(4);
  expect(new ScriptedEngine(clock, tools).validate(entry)).toEqual([]);
  expect(new ScriptedEngine(clock).validate(entry)).toEqual([expect.stringMatching(/^tools: must be a list/)]);
});

it('does not go on with the script where the model breaks off after its first words', async () => {
  answer = (response) => {
    response.writeHead(200, events).write(said('Es war'));
    // Not before the words were read: they would be lost with the connection.
    heard = () => response.destroy();
  };
  await expect(reply(engineWith())).rejects.toThrow('The avatar could not answer.');
});

it('says nothing to those who have left', async () => {
  expect(await reply(engineWith(), { signal: AbortSignal.abort() })).toBe('');
});

it('refuses to start with a server that must not be called', () => {
  const engine = engineWith({
    openAiBaseUrl: 'http://169.254.169.254/v1',
    production: true,
    privateHosts: [],
  });
  expect(() => engine.onModuleInit()).toThrow(ConfigError);
});

it('answers by the model, not by the script, when it only calls a function of the caller', async () => {
  const delta = { tool_calls: [{ index: 0, id: 'c1', function: { name: 'go', arguments: '{}' } }] };
  const calls = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\ndata: [DONE]\n\n`;
  answer = (response) => response.writeHead(200, events).end(calls);
  const given: unknown[] = [];
  const caller = {
    functions: [{ name: 'go', description: 'Goes.', parameters: { type: 'object' } }],
    onCalls: (rounds: unknown) => void given.push(rounds),
  };
  expect(await reply(engineWith(), { caller })).toBe('');
  expect(given).toEqual([[{ text: '', calls: [{ id: 'c1', name: 'go', args: '{}' }], results: {} }]]);
});
