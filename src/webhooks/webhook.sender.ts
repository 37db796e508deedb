import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Injectable } from '@nestjs/common';
import { Clock, Config } from '../config/index.js';
import { isPrivateHost, lookupPublic, refusalOf } from './webhook.address.js';
import { signatureOf } from './webhook.signature.js';

/** Bytes of an answer that are read, and dropped; what goes on after that is cut off. */
const ANSWER_LIMIT = 64 * 1024;

export interface SignedMessage {
  url: string;
  /** The event's identifier. */
  id: string;
  /** JSON. */
  body: string;
  /** The keys of the secrets under which it is signed. */
  keys: readonly Buffer[];
}

/** A status, or a code in capitals that says why there was none: the system's, or one of this room's. */
export interface Answer {
  status?: number;
  error?: string;
  /** Seconds for which the receiver asks to be left alone. */
  retryAfter?: number;
}

/** Sends a webhook once, by the Standard Webhooks specification. Redirects are not followed. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @param stop ends it early: the answer is then that of an error */
  send({ url: text, id, body, keys }: SignedMessage, stop: AbortSignal): Promise<Answer> {
    const url = new URL(text);
    const refusal = refusalOf(url, this.config);
    if (refusal) return Promise.resolve({ error: refusal });
    const timestamp = Math.floor(this.clock.now() / 1000);
    const timeout = AbortSignal.timeout(this.config.webhookTimeoutSeconds * 1000);
    const signal = AbortSignal.any([stop, timeout]);
    return new Promise((resolve) => {
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        // A connection of its own for each: one that was kept may be closed by the other end just as we write.
        agent: false,
        signal,
        ...(isPrivateHost(url.hostname, this.config) ? {} : { lookup: lookupPublic }),
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'avatar-chat-service',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signatureOf(id, timestamp, body, keys),
        },
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        resolve({ error: timeout.aborted ? 'TIMEOUT' : codeOf(error) });
      });
      request.on('response', (response) => {
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > ANSWER_LIMIT) request.destroy();
        });
        response.on('error', () => undefined);
        response.on('close', () =>
          resolve({ status: response.statusCode, retryAfter: secondsIn(response.headers['retry-after']) }),
        );
      });
      request.end(body);
    });
  }
}

function codeOf({ code }: NodeJS.ErrnoException): string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'FAILED';
}

function secondsIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
