import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';

export type Event = Record<string, any>;

/** A server of another party that speaks by WebSocket, and what it gets. */
export abstract class FakeSocketServer {
  readonly received: Event[] = [];
  readonly keys: (string | undefined)[] = [];
  readonly urls: (string | undefined)[] = [];
  readonly sockets = new Set<Duplex>();
  protected readonly server = createServer();
  protected readonly upgrades = new WebSocketServer({ noServer: true });

  async start(): Promise<this> {
    this.server.on('upgrade', (request, socket, head) => {
      this.sockets.add(socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket)));
      this.keys.push(request.headers.authorization);
      this.urls.push(request.url);
      this.upgrade(request, socket, head);
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get base_url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The received events of a type. */
  of(type: string): Event[] {
    return this.received.filter((event) => event.type === type);
  }

  /** Closes all connections. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  stop(): void {
    this.drop();
    this.server.close();
    this.server.closeAllConnections();
  }

  protected abstract upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}
