import dns, { type LookupAllOptions } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { FileService, FileUrls } from '../../src/files/index.js';
import { takeUpgrades } from 'avatar-chat-runtime';
import {
  anOwner,
  anyServer,
  assertErrorBody,
  createTestApp,
  rawAnswers,
  rawRequest,
  type TestApp,
} from '../support/index.js';

let test: TestApp;
let port: number;
beforeAll(async () => {
  test = await createTestApp({ server: anyServer() });
  port = await test.listen();
});
afterAll(() => test.close());

const LINE = 'GET /health/live HTTP/1.1\r\n';
const GET = `${LINE}Host: x\r\n`;
const LAST = 'Connection: close\r\n';
const JWT = 'POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const BODY = '{"user_id":"u"}';
const LENGTH = `Content-Length: ${BODY.length}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const UNTYPED = `POST /jwt HTTP/1.1\r\nHost: x\r\n${CHUNKED}`;
const BAD = '400 bad_request';

/** Sends bytes, and returns everything received before the connection is closed. */
type Row = [name: string, bytes: string | Buffer, answers: string[]];

describe('data on a socket gets a response, or the connection is closed:', () => {
  it.each<Row>([
    ['nothing like a request line', 'NONSENSE\r\n\r\n', [BAD]],
    ['random bytes', Buffer.from([0, 255, 1, 2, 13, 10, 13, 10]), [BAD]],
    ['JSON', `${BODY}\n`, [BAD]],
    ['a TLS hello', Buffer.from(`16030100c8010000c40303${'ab'.repeat(190)}`, 'hex'), [BAD]],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00', [BAD]],
    ['a command of MongoDB', Buffer.from('3a000000010000000000000000000000d407000000000000', 'hex'), [BAD]],
    ['a command of Redis', '*1\r\n$4\r\nPING\r\n', [BAD]],
    ['a greeting of SSH', 'SSH-2.0-x\r\n', [BAD]],
    ['a greeting of SOCKS', Buffer.from([5, 1, 0]), [BAD]],
    ['the head of a proxy', `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${GET}\r\n`, [BAD]],
    ['a byte order mark', `\ufeff${GET}\r\n`, [BAD]],
  ])('another protocol: %s', (...row) => expectAnswers(row));

  it.each<Row>([
    ['an unknown method', 'BREW /jwt HTTP/1.1\r\nHost: x\r\n\r\n', [BAD]],
    ['a method in lower case', 'get /health/live HTTP/1.1\r\nHost: x\r\n\r\n', [BAD]],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', [BAD]],
    ['no path', 'GET HTTP/1.1\r\nHost: x\r\n\r\n', [BAD]],
    ['tabs', 'GET\t/health/live\tHTTP/1.1\r\nHost: x\r\n\r\n', [BAD]],
    ['non-ASCII bytes in the path', Buffer.from('GET /h\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n'), [BAD]],
    ['NUL in the path', 'GET /health/\x00live HTTP/1.1\r\nHost: x\r\n\r\n', [BAD]],
    ['an escaped NUL', `GET /assets/%00 HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['404 not_found']],
    ['a bad escape', `GET /%zz HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, [BAD]],
    ['a path out of the assets', `GET /assets/../package.json HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['404 not_found']],
    [
      'an escaped path out of them',
      `GET /assets/%2e%2e/package.json HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`,
      ['404 not_found'],
    ],
    ['the same for Windows', `GET /assets/..\\package.json HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['404 not_found']],
    ['two slashes', `GET //health/live HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['404 not_found']],
    ['a star', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['404 not_found']],
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', []],
    ['TRACE', `TRACE /jwt HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['405 method_not_allowed']],
    ['a long URL', `GET /${'x'.repeat(10_000)} HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['414 uri_too_long']],
    ['a URL longer than all headers may be', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n\r\n`, ['414 uri_too_long']],
    ['HTTP/0.9', 'GET /health/live\r\n\r\n', ['200']],
    ['HTTP/1.0, without a Host', 'GET /health/live HTTP/1.0\r\n\r\n', ['200']],
    ['a whole URL', `GET http://elsewhere/health/live HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`, ['200']],
    ['empty lines before', `\r\n\r\n${GET}${LAST}\r\n`, ['200']],
  ])('a request line with %s', (...row) => expectAnswers(row));

  it.each<Row>([
    ['no Host', `${LINE}${LAST}\r\n`, [BAD]],
    ['an empty Host', `${LINE}Host: \r\n${LAST}\r\n`, [BAD]],
    ['two Hosts', `${GET}Host: y\r\n${LAST}\r\n`, [BAD]],
    ['the same Host twice, in HTTP/1.0', 'GET /health/live HTTP/1.0\r\nHost: x\r\nhost: x\r\n\r\n', [BAD]],
    [
      'two Authorizations, in HTTP/1.0, kept alive',
      `GET /connection HTTP/1.0\r\nConnection: keep-alive\r\n${'AUTHORIZATION: Bearer x\r\n'.repeat(2)}\r\nGET / HTTP/1.0\r\n\r\n`,
      [BAD, '404 not_found'],
    ],
    [
      'two Authorizations on a public route',
      `${JWT}${LENGTH}${LAST}${'Authorization: x\r\n'.repeat(2)}\r\n${BODY}`,
      [BAD],
    ],
    ['two Hosts and no such path', `GET /none HTTP/1.1\r\nHost: x\r\nHost: x\r\n${LAST}\r\n`, [BAD]],
    ['no colon', `${GET}bad header\r\n\r\n`, [BAD]],
    ['no name', `${GET}: a\r\n\r\n`, [BAD]],
    ['a space before the colon', `${GET}X : a\r\n\r\n`, [BAD]],
    ['a folded value', `${GET}X: a\r\n b\r\n\r\n`, [BAD]],
    ['a folded Host', `${LINE}Host: x\r\n y\r\n\r\n`, [BAD]],
    ['NUL in a name', `${GET}X\x00: a\r\n\r\n`, [BAD]],
    ['NUL in a value', `${GET}X: a\x00b\r\n\r\n`, [BAD]],
    ['bare line feeds', `${GET}${LAST}\r\n`.replaceAll('\r', ''), [BAD]],
    ['bare carriage returns', `${GET}\r\n`.replaceAll('\n', ''), [BAD]],
    ['a value of 20 KB', `${GET}X: ${'x'.repeat(20_000)}\r\n\r\n`, ['431 headers_too_large']],
    ['a name of 20 KB', `${GET}${'x'.repeat(20_000)}: a\r\n\r\n`, ['431 headers_too_large']],
    ['3,000 names', `${GET}${LAST}${'abc: 1\r\n'.repeat(3000)}\r\n`, ['200']],
    ['20,000 names', `${GET}${'a: 1\r\n'.repeat(20_000)}\r\n`, ['431 headers_too_large']],
    ['a non-ASCII value', Buffer.from(`${GET}X: \u00ff\r\n${LAST}\r\n`, 'latin1'), ['200']],
    ['an expectation', `${GET}Expect: 200-maybe\r\n\r\n`, ['417 expectation_failed']],
    ['an upgrade to HTTP/2', `${GET}Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n`, ['200']],
    ['an upgrade to a WebSocket', `${GET}Connection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n`, ['200']],
  ])('headers with %s', (...row) => expectAnswers(row));

  it.each<Row>([
    ['a length and chunked encoding', `${JWT}${LENGTH}${CHUNKED}\r\n0\r\n\r\n${GET}\r\n`, [BAD]],
    ['chunked encoding and a length', `${JWT}${CHUNKED}${LENGTH}\r\n0\r\n\r\n`, [BAD]],
    [
      'an invalid transfer encoding after chunked',
      `${JWT}${CHUNKED}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
      [BAD],
    ],
    ['compressed chunks', `${JWT}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, [BAD]],
    ['a misspelt transfer encoding', `${JWT}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, [BAD]],
    ['a space before the colon', `${JWT}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, [BAD]],
    ['two lengths', `${JWT}Content-Length: 1\r\n${LENGTH}\r\n${BODY}`, [BAD]],
    ['the same length twice', `${JWT}${LENGTH}${LENGTH}\r\n${BODY}`, [BAD]],
    ['a list of lengths', `${JWT}Content-Length: 15, 15\r\n\r\n${BODY}`, [BAD]],
    ['a negative length', `${JWT}Content-Length: -1\r\n\r\n`, [BAD]],
    ['a length with a sign', `${JWT}Content-Length: +15\r\n\r\n${BODY}`, [BAD]],
    ['a length in hex', `${JWT}Content-Length: 0xf\r\n\r\n${BODY}`, [BAD]],
    ['a length with a suffix', `${JWT}Content-Length: 1.5\r\n\r\n${BODY}`, [BAD]],
    ['an empty length', `${JWT}Content-Length: \r\n\r\n`, [BAD]],
    ['a length that overflows', `${JWT}Content-Length: ${'9'.repeat(30)}\r\n\r\n`, [BAD]],
    ['more bytes than its length', `${JWT}${LENGTH}\r\n${BODY}MORE`, ['200']],
    ['a length above the limit', `${JWT}${LAST}Content-Length: 70000\r\n\r\n`, ['413 payload_too_large']],
    [
      'chunks above the limit',
      `${JWT}${CHUNKED}${LAST}\r\n11000\r\n${'x'.repeat(0x11000)}\r\n0\r\n\r\n`,
      ['413 payload_too_large'],
    ],
    ['a chunk without a size', `${JWT}${CHUNKED}\r\nzz\r\n`, [BAD]],
    ['a chunk size that overflows', `${JWT}${CHUNKED}\r\n${'f'.repeat(17)}\r\n`, [BAD]],
    ['a negative chunk size', `${JWT}${CHUNKED}\r\n-1\r\n`, [BAD]],
    ['a chunk longer than its size', `${JWT}${CHUNKED}\r\nf\r\n${BODY}XX0\r\n\r\n`, [BAD]],
    ['a chunk with extensions of 20 KB', `${JWT}${CHUNKED}\r\nf;${'x'.repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`, [BAD]],
    ['a chunk with an extension', `${JWT}${CHUNKED}${LAST}\r\nf;a=b\r\n${BODY}\r\n0\r\n\r\n`, ['200']],
    ['a trailer', `${JWT}${CHUNKED}${LAST}\r\nf\r\n${BODY}\r\n0\r\nX: 1\r\n\r\n`, ['200']],
    ['no type, and no content', `${UNTYPED}\r\n0\r\n\r\n${GET}${LAST}\r\n`, ['400 invalid_user_id', '200']],
    ['no type, and content', `${UNTYPED}${LAST}\r\nf\r\n${BODY}\r\n0\r\n\r\n`, ['415 unsupported_media_type']],
    ['no type, on no route', `${UNTYPED.replace('jwt', 'none')}${LAST}\r\n0\r\n\r\n`, ['404 not_found']],
    ['a GET with a body', `${GET}Content-Length: 5\r\n${LAST}\r\nhello`, ['200']],
  ])('a body with %s', (...row) => expectAnswers(row));

  it.each<Row>([
    [
      'in order',
      `${GET}\r\n${JWT}${LENGTH}\r\n${BODY}GET / HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`,
      ['200', '200', '404 not_found'],
    ],
    ['up to the one that closes the connection', `${GET}${LAST}\r\n${GET}\r\n`, ['200']],
    ['up to an invalid one', `${GET}\r\n${GET}\r\nNONSENSE\r\n\r\n`, ['200', '200']],
  ])('pipelined requests, %s', (...row) => expectAnswers(row));

  async function expectAnswers([, bytes, expected]: Row): Promise<void> {
    const answers = await rawAnswers(port, bytes);
    expect(answers.map(({ status, body }) => `${status} ${body?.error ?? ''}`.trim())).toEqual(expected);
    for (const answer of answers.filter(({ status }) => status >= 400)) assertErrorBody(answer);
  }

  it('a missing body, with 408', async () => {
    const answer = await rawRequest(port, `${JWT}Content-Length: 20\r\n\r\n{`, 20_000);
    expect(answer).toMatchObject({ status: 408, body: { error: 'request_timeout' } });
    assertErrorBody(answer);
  });

  it('Expect: 100-continue, with 100 Continue', async () => {
    const answer = await rawRequest(port, `${JWT}${LENGTH}Expect: 100-continue\r\n\r\n${BODY}`);
    expect(answer).toMatchObject({ status: 200, body: { result: 'success' } });
  });

  it('and no error is written into the middle of a response', async () => {
    const size = 8_000_000;
    const recording = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(size - 16, '.')]);
    const { file_id } = await test.app.get(FileService).save(anOwner(), [recording]);
    const path = test.app.get(FileUrls).sign(file_id).replace('http://chat.test', '');
    const received = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
      let text = '';
      socket.once('data', () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (chunk) => (text += chunk.toString('latin1')));
      socket.on('close', () => resolve(text));
      socket.on('error', () => undefined);
    });
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).not.toMatch(/bad_request/);
  });

  it('and the service keeps running', async () => {
    expect((await test.call({ path: '/health/ready' })).status).toBe(200);
  });
});

it('a shutdown closes connections that another upgrade listener has left open', async () => {
  takeUpgrades('/kept');
  const other = await createTestApp({
    server: anyServer(),
    onApp: (app) =>
      app.getHttpServer().on('upgrade', (_request, socket: Socket) => socket.write('HTTP/1.1 101 Kept\r\n\r\n')),
  });
  const socket = connect({ port: await other.listen(), host: '127.0.0.1', allowHalfOpen: true });
  socket.write('GET /kept HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
  await Promise.all([once(socket, 'end'), other.close()]);
  socket.destroy();
});

it.each(['localhost', undefined])(
  'listening on the host %s opens one server, whatever the addresses of localhost',
  async (host) => {
    const { lookup } = dns;
    jest.spyOn(dns, 'lookup').mockImplementation(((name: string, options: LookupAllOptions, done: Function) =>
      name === 'localhost' && options.all
        ? done(null, [
            { address: '127.0.0.1', family: 4 },
            { address: '::1', family: 6 },
          ])
        : Reflect.apply(lookup, dns, [name, options, done])) as never);
    const other = await createTestApp({ server: anyServer() });
    try {
      await other.app.listen(0, host as string);
      const { port: chosen } = other.app.getHttpServer().address() as AddressInfo;
      expect(await rawRequest(chosen, `${GET}\r\n`)).toMatchObject({ status: 200 });
      const socket = connect({ port: chosen, host: '::1' });
      await expect(once(socket, 'connect').finally(() => socket.destroy())).rejects.toThrow(/ECONNREFUSED/);
    } finally {
      jest.restoreAllMocks();
      await other.close();
    }
  },
);
