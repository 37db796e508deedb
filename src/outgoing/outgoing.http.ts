import { Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../platform/config/index.js';
import { isPrivateHost, lookupPublic, refusalOf } from './outgoing.address.js';

/** How long a connection is kept for the next call to the same server, in milliseconds. */
const KEPT_MS = 30_000;
const KEPT_CONNECTIONS = 64;
const kept = { keepAlive: true, timeout: KEPT_MS, maxFreeSockets: KEPT_CONNECTIONS };

/** A call of a server outside that came to nothing. */
export class OutgoingError extends Error {
  /** @param code in capitals: the system's, or one of this module's */
  constructor(readonly code: string) {
    super(`The call failed: ${code}`);
    this.name = 'OutgoingError';
  }
}

export interface OutgoingCall {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
  /** Ends the call, and the reading of its answer. */
  signal: AbortSignal;
  /** Whether the connection may be one that was kept, and be kept. */
  keepAlive?: boolean;
}

/**
 * Every HTTP call to a server that an operator names: webhooks, models, speech. The address that is checked is the one
 * that is connected to; redirects are answers like any other, so nothing is ever sent on to another host.
 */
@Injectable()
export class OutgoingHttp implements OnApplicationShutdown {
  private readonly agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) };

  constructor(private readonly config: Config) {}

  /** @internal */
  onApplicationShutdown(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /**
   * How a connection to a server is made, for those that keep one open.
   *
   * @throws OutgoingError if it must not be called
   */
  connectionTo(url: URL): { lookup?: LookupFunction } {
    const refusal = refusalOf(url, this.config);
    if (refusal) throw new OutgoingError(refusal);
    return isPrivateHost(url.hostname, this.config) ? {} : { lookup: lookupPublic };
  }

  /**
   * Sends a request. The answer has to be read to its end or destroyed.
   *
   * @returns the answer, as soon as its head is in
   * @throws OutgoingError once the connection is closed without an answer, and at the latest when `signal` is aborted
   */
  async open(url: URL, call: OutgoingCall): Promise<IncomingMessage> {
    const { method = 'POST', headers, body = '', signal, keepAlive = false } = call;
    const connection = this.connectionTo(url);
    if (signal.aborted) throw new OutgoingError('ABORTED');
    const secure = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(url, {
        method,
        agent: keepAlive && this.agents[secure ? 'https:' : 'http:'],
        signal,
        ...connection,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      });
      const fail = (code: string) => reject(new OutgoingError(code));
      request.on('response', resolve);
      request.on('error', (error: NodeJS.ErrnoException) => fail(codeOf(error)));
      request.on('upgrade', (_answer, socket) => {
        socket.destroy();
        fail('SWITCHED_PROTOCOLS');
      });
      // Whatever else a peer may do: without this, a connection that ends without an answer or an error is waited for.
      request.on('close', () => fail('NO_ANSWER'));
      request.end(body);
    });
  }
}

function codeOf({ code }: NodeJS.ErrnoException): string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'FAILED';
}
