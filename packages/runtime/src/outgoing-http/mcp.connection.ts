import type { CallToolResult as McpToolResult, Client } from '@modelcontextprotocol/client';
import { randomUUID } from 'node:crypto';
import { AsyncContext } from '../tracing/async.context.js';
import { providerFetch } from './outgoing.fetch.js';
import { OutgoingError, type OutgoingHttp } from './outgoing.http.js';

export type { McpToolResult };

/** Maximum size of a response, and of one event in it: a mebibyte. */
const LIMITS = { maxBytes: 2 ** 20, maxEventBytes: 2 ** 20, mayBeJson: true };
/** Limits of a list: pages, and tools. */
const MAX_PAGES = 10;
const MAX_LISTED = 500;
/** Timeout of the end of a session, in milliseconds. */
const CLOSE_MS = 1000;
/** Takes a list as it is: a tool that breaks the protocol does not take the others with it. */
const AS_IT_IS = { '~standard': { version: 1, vendor: 'none', validate: (value: unknown) => ({ value }) } } as const;
/** The server's own description of results is not checked. */
const UNCHECKED = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) as never };
/** Stands for JSON that the package would parse and round; nobody else can know it. */
const AS_JSON = randomUUID();
const JSON_TEXT = /^("(?:[^"\\]|\\.)*")\}/;
const NO_MCP = 'it does not speak the Model Context Protocol over streamable HTTP';

/** Why a server cannot be used: never its own words. */
export class McpError extends Error {}

/** A session with a server of the Model Context Protocol, opened when first needed. */
export class McpConnection {
  private client?: Promise<Client>;
  /** The exchange that a request of the package belongs to: its own signals do not end responses. */
  private readonly exchange = new AsyncContext<AbortController>();

  /** @param authorization returns the header, if the server wants one; may throw an {@link McpError} */
  constructor(
    private readonly http: OutgoingHttp,
    private readonly url: URL,
    private readonly authorization: () => string | undefined,
  ) {}

  /** All tools of the server, as it says, whatever that is. @throws any error: {@link mcpReasonOf} describes it */
  async listTools(signal: AbortSignal): Promise<unknown[]> {
    const tools: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES && tools.length < MAX_LISTED; page++) {
      const list = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
      const found = await this.ask(signal, (client, options) => client.request(list, AS_IT_IS, options));
      const { tools: some, nextCursor } = found as { tools: unknown[]; nextCursor?: unknown };
      if (!Array.isArray(some)) throw new McpError(NO_MCP);
      tools.push(...some);
      cursor = nextCursor;
      if (!cursor) break;
    }
    return tools.slice(0, MAX_LISTED);
  }

  /** @param args JSON of an object, sent as it is @throws any error: {@link mcpReasonOf} describes it */
  callTool(name: string, args: string, signal: AbortSignal): Promise<McpToolResult> {
    const params = { name, arguments: { [AS_JSON]: args } };
    return this.ask(
      signal,
      async (client, options) => (await client.request({ method: 'tools/call', params }, options)) as McpToolResult,
    );
  }

  /** Ends the session, without waiting for the server. */
  close(): void {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), CLOSE_MS);
    const ended = this.client?.then(async (client) => {
      const { transport } = client as unknown as { transport?: { terminateSession?(): Promise<void> } };
      await this.exchange.run(limit, async () => transport?.terminateSession?.()).finally(() => client.close());
    });
    void Promise.resolve(ended)
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
    this.client = undefined;
  }

  private async ask<T>(
    signal: AbortSignal,
    work: (client: Client, options: { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const exchange = new AbortController();
    const end = () => exchange.abort(signal.reason);
    signal.addEventListener('abort', end);
    try {
      signal.throwIfAborted();
      return await this.exchange.run(exchange, async () => {
        const used = this.client;
        const options = { signal: exchange.signal };
        try {
          return await work(await this.open(options), options);
        } catch (error) {
          // The server has forgotten the session, and has done nothing. Another call may have opened the next one.
          if (!used || statusOf(error) !== 404) throw error;
          if (this.client === used) this.client = undefined;
          return await work(await this.open(options), options);
        }
      });
    } catch (error) {
      throw exchange.signal.aborted ? exchange.signal.reason : error;
    } finally {
      signal.removeEventListener('abort', end);
      // A server may go on sending after its answer.
      exchange.abort();
    }
  }

  private open(options: { signal: AbortSignal }): Promise<Client> {
    if (this.client) return this.client;
    const client = this.connect(options).catch((error: unknown) => {
      if (this.client === client) this.client = undefined;
      throw error;
    });
    return (this.client = client);
  }

  private async connect(options: { signal: AbortSignal }): Promise<Client> {
    // Loaded lazily: most services have no such server.
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const authorization = this.authorization();
    const open = async (mode: 'auto' | 'legacy') => {
      const client = new Client(
        { name: 'avatar-chat-service', version: '1' },
        { capabilities: {}, jsonSchemaValidator: UNCHECKED, versionNegotiation: { mode } },
      );
      const transport = new StreamableHTTPClientTransport(this.url, {
        fetch: this.fetch,
        requestInit: authorization === undefined ? {} : { headers: { authorization } },
      });
      // The question for the revision does not listen to signals.
      const end = () => void transport.close();
      options.signal.addEventListener('abort', end);
      try {
        await client.connect(transport, options);
        return client;
      } finally {
        options.signal.removeEventListener('abort', end);
      }
    };
    try {
      return await open('auto');
    } catch (error) {
      // A server of an older revision may fail at the question for it.
      if (Number(statusOf(error)) >= 500) return open('legacy');
      throw error;
    }
  }

  private readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    // A stream for the server's own messages would stay open all the time.
    if (init.method === 'GET') return new Response(null, { status: 405 });
    const exchange = this.exchange.value;
    const signals = [init.signal, exchange?.signal].filter((signal) => signal instanceof AbortSignal);
    const request = { ...init, signal: AbortSignal.any(signals) };
    const [start, text] = typeof init.body === 'string' ? init.body.split(`{"${AS_JSON}":`) : [];
    if (text !== undefined)
      request.body = start + text.replace(JSON_TEXT, (_, json: string) => JSON.parse(json) as string);
    const response = await providerFetch(this.http, LIMITS)(input, request);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new McpError('it redirects');
    }
    return failing(response, (error) => exchange?.abort(error));
  };
}

/** The same response; `onError` learns of an error while it is read, which the package would wait after. */
function failing(response: Response, onError: (error: unknown) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

function statusOf(error: unknown): unknown {
  const { status, data } = (error ?? {}) as { status?: unknown; data?: { status?: unknown } };
  return status ?? data?.status;
}

/** Why a server cannot be used, in words of this service. */
export function mcpReasonOf(error: unknown): string {
  if (error instanceof McpError) return error.message;
  if (error instanceof OutgoingError) return `it cannot be reached (${error.code})`;
  if (error instanceof Error && error.cause instanceof Error) return mcpReasonOf(error.cause);
  const status = statusOf(error);
  return Number.isInteger(status) ? `it answers with ${String(status)}` : NO_MCP;
}
