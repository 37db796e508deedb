import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { MAX_HELD_BYTES, MAX_HELD_BYTES_PER_SUBJECT, ResponseMemory } from './response-memory.js';
import type { ServiceError } from '../errors/index.js';

const MIB = 1024 * 1024;

let held: ResponseMemory;
beforeEach(() => (held = new ResponseMemory()));

class Connection extends EventEmitter {
  isCut = false;
  destroy() {
    this.isCut = true;
  }
}

/** A response on a connection, possibly pipelined behind others. */
function anAnswer(connection = new Connection(), isFirst = true): ServerResponse {
  const socket = isFirst ? connection : null;
  return Object.assign(new EventEmitter(), { socket, req: { socket: connection } }) as unknown as ServerResponse;
}

const refusal = (subject: string, bytes: number, address = '10.0.0.1') => {
  try {
    held.hold([subject, address], bytes, anAnswer());
    return undefined;
  } catch (error) {
    const { status, code, headers } = error as ServiceError;
    return { status, code, headers };
  }
};

describe('bytes held for clients', () => {
  it('are counted until a response has been sent or has ended, once', () => {
    const [sent, cut] = [anAnswer(), anAnswer()];
    held.hold(['ann', '10.0.0.1'], 5, sent);
    held.hold(['ann', '10.0.0.1'], 3, cut);
    expect(held.size).toBe(8);
    sent.emit('close');
    sent.emit('close');
    expect(held.size).toBe(3);
    cut.emit('close');
    expect(held.size).toBe(0);
  });

  it('are released if the connection of a pipelined response closes', () => {
    const connection = new Connection();
    held.hold(['ann', '10.0.0.1'], 5, anAnswer(connection, false));
    connection.emit('close');
    expect(held.size).toBe(0);
  });

  it('are not counted if the connection has closed meanwhile, whether or not the response was pipelined', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    const answers: ServerResponse[] = [];
    server.on('request', (_: IncomingMessage, response: ServerResponse) => void answers.push(response));
    await once(server, 'request');
    if (answers.length < 2) await once(server, 'request');
    const { socket } = answers[0]!.req;
    client.destroy();
    await once(socket, 'close');
    server.close();
    for (const answer of answers) held.hold(['ann', '10.0.0.1'], 5, answer);
    expect(answers.map((answer) => answer.socket === null)).toEqual([false, true]);
    expect(held.size).toBe(0);
  });

  it('are limited per subject, with a 429, and other subjects are unaffected', () => {
    const first = anAnswer();
    held.hold(['ann', '10.0.0.1'], MAX_HELD_BYTES_PER_SUBJECT, first);
    expect(refusal('ann', 1)).toEqual({ status: 429, code: 'rate_limited', headers: { 'Retry-After': '1' } });
    expect(refusal('bob', 1)).toBeUndefined();
    first.emit('close');
    expect(refusal('ann', MAX_HELD_BYTES_PER_SUBJECT)).toBeUndefined();
  });

  it('are freed by whoever holds most, if not by the user, then by the address', () => {
    const connections = Array.from({ length: MAX_HELD_BYTES / MAX_HELD_BYTES_PER_SUBJECT }, () => new Connection());
    for (const [n, connection] of connections.entries())
      held.hold([`user-${n}`, n < 2 ? '10.0.1.1' : `10.0.1.${n}`], MAX_HELD_BYTES_PER_SUBJECT, anAnswer(connection));
    expect(refusal('ann', MAX_HELD_BYTES_PER_SUBJECT)).toBeUndefined();
    expect(connections.map(({ isCut }) => isCut)).toEqual([false, true, false, false]);
    expect(refusal('bob', MIB)).toBeUndefined();
    expect(held.size).toBe(MAX_HELD_BYTES - MAX_HELD_BYTES_PER_SUBJECT + MIB);
  });

  it('are limited in all, with a 503, and released after five seconds if others hold as much, oldest first', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const connections = Array.from({ length: MAX_HELD_BYTES / MAX_HELD_BYTES_PER_SUBJECT }, () => new Connection());
    for (const [n, connection] of connections.entries()) {
      held.hold([`user-${n}`, `10.0.1.${n}`], MAX_HELD_BYTES_PER_SUBJECT, anAnswer(connection));
      now.mockReturnValue((n + 1) * 1000);
    }
    now.mockReturnValue(4999);
    expect(refusal('ann', MAX_HELD_BYTES_PER_SUBJECT)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    now.mockReturnValue(6500);
    expect(refusal('ann', MAX_HELD_BYTES_PER_SUBJECT)).toBeUndefined();
    expect(connections.map(({ isCut }) => isCut)).toEqual([true, false, false, false]);
    expect(held.size).toBe(MAX_HELD_BYTES);
    now.mockRestore();
  });

  it('may exceed the share of a subject for a single response', () => {
    expect(refusal('ann', MAX_HELD_BYTES_PER_SUBJECT * 2)).toBeUndefined();
    expect(refusal('ann', 1)).toMatchObject({ status: 429 });
  });
});
