import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

type Fields = Record<string, any>;

/** One connection from the service's side. */
export interface Peer {
  readonly query: URLSearchParams;
  readonly token: string;
  /** Received messages; audio as bytes. */
  readonly received: (Fields | Buffer)[];
  tell(type: string, fields?: Fields): void;
  /** Waits for an event of a type. */
  next(type: string): Promise<Fields>;
  close(code: number): void;
  /** Terminates the connection. */
  cut(): void;
}

/** Speaks the protocol of the live mode, but sends only what a test tells it to. Tokens are `token-1`, `token-2`, … */
export class LiveServer {
  url = '';
  readonly peers: Peer[] = [];
  /** `METHOD path` of each request. */
  readonly requests: string[] = [];
  /** The status with which a token is rejected. */
  readonly refused = new Map<string, number>();
  /** Whether upgrades are rejected although the token is valid. */
  isFull = false;
  /** Whether sessions can be resumed. */
  resumes = true;
  private tokens = 0;
  private waiting: ((peer: Peer) => void)[] = [];
  private readonly sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'realtime' });
  private readonly http = createServer((request, response) => {
    this.requests.push(`${request.method} ${request.url}`);
    const answer = (status: number, body: Fields) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/jwt') return answer(200, { jwt: `token-${++this.tokens}` });
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const status = this.refused.get(token);
    if (status === undefined) return answer(200, { value: `ek_${token}`, expires_at: 2_000_000_000 });
    const error = status === 403 ? 'token_expired' : 'invalid_token';
    return answer(status, { result: 'failure', status, error, message: 'No.', request_id: 'r' });
  });

  async start(): Promise<this> {
    this.http.on('upgrade', (request, socket, head) => {
      const [, token = ''] = /openai-insecure-api-key\.([\w-]+)/.exec(protocolsOf(request)) ?? [];
      if (this.isFull || this.refused.has(token)) return socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
      this.sockets.handleUpgrade(request, socket, head, (ws) => this.accept(ws, request, token));
    });
    this.http.listen(0, '127.0.0.1');
    await once(this.http, 'listening');
    this.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    for (const client of this.sockets.clients) client.terminate();
    this.http.closeAllConnections();
    this.http.close();
    await once(this.http, 'close');
  }

  /** The next connection. */
  nextPeer(): Promise<Peer> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private accept(ws: WebSocket, request: IncomingMessage, token: string): void {
    const query = new URL(request.url!, this.url).searchParams;
    const received: (Fields | Buffer)[] = [];
    const expected = new Map<string, (event: Fields) => void>();
    const peer: Peer = {
      query,
      token,
      received,
      tell: (type, fields = {}) => ws.send(JSON.stringify({ type, event_id: `e${Math.random()}`, ...fields })),
      next: (type) => new Promise((resolve) => expected.set(type, resolve)),
      close: (code) => ws.close(code),
      cut: () => ws.terminate(),
    };
    ws.on('message', (data: Buffer, isBinary) => {
      const event = isBinary ? data : (JSON.parse(data.toString()) as Fields);
      received.push(event);
      if (!isBinary) expected.get((event as Fields)['type'])?.(event as Fields);
    });
    this.peers.push(peer);
    const resumed = this.resumes && query.has('resume');
    const id = resumed ? query.get('resume') : `session-${this.peers.length}`;
    const audio = { input: { turn_detection: { type: 'server_vad' }, transcription: {} } };
    peer.tell('session.created', { session: { id, model: query.get('model'), audio }, ...(resumed && { resumed }) });
    this.waiting.shift()?.(peer);
  }
}

function protocolsOf(request: IncomingMessage): string {
  return request.headers['sec-websocket-protocol'] ?? '';
}
