import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough } from 'node:stream';
import * as api from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { CatalogueService, Config } from '../../src/index.js';
import { createLogger } from '../../src/platform/logging/index.js';
import { recordSpans } from 'avatar-chat-runtime';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { LiveClient } from '../support/live-client.js';
import { aMongoProxy, anyServer, aUser, type MongoProxy, type Receiver, startReceiver } from '../support/index.js';
import { createTestApp, ModelStub } from '../../src/testing/index.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const WORDS = ['dandelions', 'buttercups'];

const exporter = new InMemorySpanExporter();
const written = new PassThrough();
let proxy: MongoProxy;
let model: ModelStub;
let receiver: Receiver;
let test: Awaited<ReturnType<typeof createTestApp>>;
let token: string;
const user_id = aUser();
beforeAll(async () => {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  recordSpans(api, provider.getTracer('test'));
  const server = anyServer();
  [proxy, model, receiver] = await Promise.all([aMongoProxy(server.uri), new ModelStub().start(), startReceiver()]);
  const database = { kind: 'mongodb' as const, uri: proxy.uri.replace(/\/?(\?|$)/, `/traced_${process.pid}$1`) };
  test = await createTestApp({
    config: { database },
    modules: [PuppetModule],
    logger: createLogger(new Config({ logLevel: 'info' }), written),
  });
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [PUPPET, { ...PUPPET, _id: 'modelled', hasLiveMode: true, engine: model.entry() }],
      projects: [
        {
          project_id: 'traced',
          avatars: ['modelled', PUPPET._id],
          languages: ['en'],
          webhooks: [{ name: 'crm', url: receiver.url }],
          speech: { speaker: { kind: 'espeak' } },
        },
      ],
    }),
  );
  token = await test.token(user_id, 'traced');
});
beforeEach(() => {
  exporter.reset();
  model.requests.length = 0;
  model.answer = () => [`I like ${WORDS[1]}.`];
});
afterAll(async () => {
  await test.close();
  await Promise.all([proxy.close(), receiver.close()]);
  model.stop();
});

const turn = (headers: Record<string, string> = {}, more: object = {}) => {
  const body = { avatar_id: 'modelled', request: `Do you like ${WORDS[0]}?`, chat_type: 'text', ...more };
  return test.call({ method: 'POST', path: '/chat', token, headers, body });
};
const named = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);
const parentOf = ({ parentSpanContext }: ReadableSpan) => parentSpanContext?.spanId;
const traceOf = (span: ReadableSpan) => span.spanContext().traceId;

it('continue the trace of the caller, from the request to the model and the database', async () => {
  expect((await turn({ traceparent: `00-${ID}-${CALLER}-01` })).status).toBe(201);
  const [request] = named('POST /chat');
  expect([traceOf(request!), parentOf(request!)]).toEqual([ID, CALLER]);
  expect(request).toMatchObject({
    kind: api.SpanKind.SERVER,
    attributes: { 'http.request.method': 'POST', 'http.route': '/chat', 'http.response.status_code': 201 },
  });
  const [engine] = named('ask engine');
  expect([traceOf(engine!), parentOf(engine!)]).toEqual([ID, request!.spanContext().spanId]);
  expect(model.headers.traceparent).toBe(`00-${ID}-${engine!.spanContext().spanId}-01`);
  const inserts = named('insert messages');
  expect(inserts).not.toEqual([]);
  for (const insert of inserts) {
    expect([traceOf(insert), parentOf(insert)]).toEqual([ID, request!.spanContext().spanId]);
    expect(insert.attributes).toMatchObject({ 'db.system.name': 'mongodb', 'db.collection.name': 'messages' });
  }
});

it('have the trace id of the log lines', async () => {
  written.read();
  await turn();
  const lines = String(written.read() ?? '')
    .split('\n')
    .filter(Boolean);
  const { trace_id } = lines.map((line) => JSON.parse(line)).find(({ route }) => route === '/chat');
  const [request] = named('POST /chat');
  expect(traceOf(request!)).toBe(trace_id);
  expect(request!.parentSpanContext).toBeUndefined();
});

it('are not recorded if the caller does not record them', async () => {
  await turn({ traceparent: `00-${ID}-${CALLER}-00` });
  expect(exporter.getFinishedSpans().filter((span) => traceOf(span) === ID)).toEqual([]);
});

it('cost nothing in a read that is not recorded: its promises carry no trace', async () => {
  const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
  const read = async (flags: string) => {
    run.mockClear();
    const headers = { traceparent: `00-${ID}-${CALLER}-${flags}` };
    expect((await test.call({ path: `/chat?user_id=${user_id}`, token, headers })).status).toBe(200);
    return run.mock.calls.filter(([trace]) => (trace as { id?: string }).id === ID).length;
  };
  expect(await read('00')).toBe(0);
  expect(named('GET /chat')).toEqual([]);
  expect(await read('01')).toBeGreaterThan(0);
  run.mockRestore();
  const request = named('GET /chat')[0]!.spanContext().spanId;
  expect(named('find messages').filter((span) => parentOf(span) === request)).toHaveLength(1);
});

it('include speech', async () => {
  expect((await turn({}, { chat_type: 'voice' })).status).toBe(201);
  const [request] = named('POST /chat');
  const [speech] = named('speak');
  expect(speech?.attributes).toEqual({ 'avatar_chat.speech': 'espeak' });
  expect(traceOf(speech!)).toBe(traceOf(request!));
});

it('include the handshake of a live session, and what it asks', async () => {
  const client = await LiveClient.open(await test.listen(), 'model=modelled', token);
  const [handshake] = named('GET /v1/realtime');
  expect(handshake?.attributes).toMatchObject({ 'http.response.status_code': 101 });
  const asked = exporter.getFinishedSpans().filter((span) => parentOf(span) === handshake!.spanContext().spanId);
  expect(asked.map(traceOf)).toEqual(asked.map(() => traceOf(handshake!)));
  client.socket.terminate();
});

it('include webhooks, each in a trace of its own', async () => {
  receiver.received.length = 0;
  await turn();
  await receiver.until(() => receiver.received.length >= 2 && named('deliver webhook').length >= 2);
  const [delivery] = named('deliver webhook');
  expect(delivery).toMatchObject({
    kind: api.SpanKind.CLIENT,
    attributes: { 'avatar_chat.webhook': 'crm', 'http.response.status_code': 204 },
  });
  expect(delivery!.parentSpanContext).toBeUndefined();
});

it('of what fails have the type of the error', async () => {
  proxy.faultOf = (name) => (name === 'insert messages' ? { code: 50 } : undefined);
  expect((await turn()).status).toBe(503);
  proxy.faultOf = () => undefined;
  const [insert] = named('insert messages');
  expect(insert).toMatchObject({
    status: { code: api.SpanStatusCode.ERROR },
    attributes: { 'error.type': 'MongoBulkWriteError' },
  });
  expect(insert!.status.message).toBeUndefined();
  expect(named('POST /chat')[0]).toMatchObject({ status: { code: api.SpanStatusCode.ERROR } });
});

it('have no words, users, tokens or addresses with secrets', async () => {
  await turn({}, { chat_type: 'voice' });
  await test.call({ path: `/chat?user_id=${user_id}`, token });
  expect((await turn({}, { avatar_id: PUPPET._id, request: 'fail' })).body.error).toBe('engine_failed');
  const seen = exporter.getFinishedSpans().map(({ name, attributes, events, links, status }) => ({
    name,
    attributes,
    events,
    links,
    status,
  }));
  const text = JSON.stringify(seen);
  for (const secret of [...WORDS, 'provider said', user_id, token, 'user_id=']) expect(text).not.toContain(secret);
  expect(seen.length).toBeGreaterThan(20);
});
