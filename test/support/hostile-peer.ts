import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * The behavior of a hostile peer after the request headers have arrived; the socket is open, and its errors are
 * ignored.
 */
type Behaviour = (socket: Socket, elsewhere: string) => void;

const OK = 'HTTP/1.1 200 OK\r\n';
const STREAM = `${OK}content-type: text/event-stream\r\n`;
/** Interval between two pieces of a peer that trickles, in milliseconds. */
const TRICKLE_MS = 10;
const PIECE = 'x'.repeat(16_384);

/** Writes a piece repeatedly, as fast as the other end reads or at an interval in milliseconds. */
const endlessly = (socket: Socket, piece: string, everyMs?: number): void => {
  const more = () => {
    if (socket.destroyed) return;
    if (everyMs !== undefined) socket.write(piece, () => setTimeout(more, everyMs));
    else if (socket.write(piece)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
};

/** The behaviors of a hostile peer. */
export const BEHAVIOURS = {
  'never answers': () => undefined,
  'switches protocols': (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  'switches protocols and hangs up': (socket) =>
    void socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  'says to continue for ever': (socket) => endlessly(socket, 'HTTP/1.1 100 Continue\r\n\r\n', TRICKLE_MS),
  resets: (socket) => void socket.resetAndDestroy(),
  'closes early': (socket) => void socket.end(),
  'closes within its head': (socket) => void socket.end(`${OK}content-le`),
  'closes within its body': (socket) => void socket.end(`${STREAM}content-length: 1000\r\n\r\ndata: {`),
  'resets within its body': (socket) =>
    void socket.write(`${STREAM}content-length: 1000\r\n\r\ndata: {`, () => socket.resetAndDestroy()),
  'trickles its head': (socket) => {
    socket.write(`${OK}x-slow: `);
    endlessly(socket, 'x', TRICKLE_MS);
  },
  'trickles its body': (socket) => {
    socket.write(`${STREAM}content-length: 1000000\r\n\r\n`);
    endlessly(socket, 'x', TRICKLE_MS);
  },
  'trickles empty events': (socket) => {
    socket.write(`${STREAM}\r\n`);
    endlessly(socket, 'data: {"choices":[]}\n\n', TRICKLE_MS);
  },
  'has a head without end': (socket) => {
    socket.write(OK);
    endlessly(socket, `x-more: ${PIECE}\r\n`);
  },
  'has a line without end': (socket) => {
    socket.write(`${STREAM}\r\ndata: `);
    endlessly(socket, PIECE);
  },
  'has an event without end': (socket) => {
    socket.write(`${STREAM}\r\n`);
    endlessly(socket, `data: ${PIECE}\n`);
  },
  'has comments without end': (socket) => {
    socket.write(`${STREAM}\r\n`);
    endlessly(socket, `: ${PIECE}\n\n`);
  },
  'has chunks that are none': (socket) => void socket.end(`${STREAM}transfer-encoding: chunked\r\n\r\nzz\r\nno\r\n`),
  'sends less than it announces': (socket) => void socket.end(`${OK}content-length: 1000\r\n\r\nshort`),
  'sends more than it announces': (socket) => {
    socket.write(`${OK}content-length: 2\r\n\r\n{}`);
    endlessly(socket, PIECE);
  },
  'names two lengths': (socket) => void socket.end(`${OK}content-length: 2\r\ncontent-length: 7\r\n\r\n{}`),
  'is no HTTP server': (socket) => void socket.end('220 mail.test ESMTP\r\n'),
  'redirects for ever': (socket) =>
    void socket.end('HTTP/1.1 307 Temporary Redirect\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n'),
  'redirects elsewhere': (socket, elsewhere) =>
    void socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${elsewhere}\r\ncontent-length: 0\r\n\r\n`),
  'sees other elsewhere': (socket, elsewhere) =>
    void socket.end(`HTTP/1.1 303 See Other\r\nlocation: ${elsewhere}\r\ncontent-length: 0\r\n\r\n`),
  'refuses for an hour': (socket) =>
    void socket.end('HTTP/1.1 429 Too Many Requests\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n'),
} as const satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof BEHAVIOURS;
export const BEHAVIOUR_NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

export interface HostilePeer {
  /** The same origin for all behaviors; the current one can be set. */
  url: string;
  port: number;
  behaviour: BehaviourName;
  /** Headers of the received requests. */
  heads: string[];
  /** Open connections. */
  open(): number;
  close(): Promise<void>;
}

/** A TCP server that misbehaves on every request, in a named way. */
export async function startHostilePeer(
  behaviour: BehaviourName = 'never answers',
  elsewhere = 'http://127.0.0.1:9/',
): Promise<HostilePeer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let head: string | undefined = '';
    socket.on('data', (chunk: Buffer) => {
      if (head === undefined) return;
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      peer.heads.push(head);
      head = undefined;
      (BEHAVIOURS[peer.behaviour] as Behaviour)(socket, elsewhere);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const peer: HostilePeer = {
    url: `http://127.0.0.1:${port}`,
    port,
    behaviour,
    heads: [],
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return peer;
}
