import { Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPrivateHost, lookupPublic, type PrivateHosts, refusalOf } from './outgoing.address.js';

/** How long a connection is kept alive for the next call to the same server, in milliseconds. */
const KEPT_MS = 30_000;
const KEPT_CONNECTIONS = 64;
const kept = { keepAlive: true, timeout: KEPT_MS, maxFreeSockets: KEPT_CONNECTIONS };

/** A call to an external server failed. */
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
  /** Aborts the call, and the reading of its response. */
  signal: AbortSignal;
  /** Whether the connection may be reused and kept alive. */
  keepAlive?: boolean;
}

/**
 * All HTTP calls to servers that operators configure: webhooks, models, speech. The checked address is the one that is
 * connected to; redirects are ordinary responses, so nothing is ever forwarded to another host.
 */
export class OutgoingHttp {
  private readonly agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) };

  constructor(private readonly config: PrivateHosts) {}

  /** Closes the connections that are kept for further calls. */
  closeIdle(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /**
   * Connection options for a server, for callers with persistent connections.
   *
   * @throws OutgoingError if it must not be called
   */
  connectionTo(url: URL): { lookup?: LookupFunction } {
    const refusal = refusalOf(url, this.config);
    if (refusal) throw new OutgoingError(refusal);
    return isPrivateHost(url.hostname, this.config) ? {} : { lookup: lookupPublic };
  }

  /**
   * Sends a request. The response must be read to its end or destroyed.
   *
   * @returns the response, as soon as its headers have arrived
   * @throws OutgoingError when the connection closes without a response, at the latest when `signal` is aborted
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
      // Covers all other cases: a connection that closes without a response or an error would never settle.
      request.on('close', () => fail('NO_ANSWER'));
      request.end(body);
    });
  }
}

function codeOf({ code }: NodeJS.ErrnoException): string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'FAILED';
}
