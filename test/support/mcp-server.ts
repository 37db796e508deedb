import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as Mcp } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server as StatelessMcp } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';

export type McpHandler = (name: string, args: Record<string, unknown>) => unknown;

/** How a server answers: with sessions, as a stream of events or JSON, or by the revision of 2026-07-28, which has none. */
export type McpKind = 'stream' | 'json' | 'stateless';

/** A server of the Model Context Protocol by its official SDK, on a port of its own. */
export class McpServer {
  tools: Tool[] = [];
  /** Returns the result of a call. */
  call: McpHandler = () => ({ content: [{ type: 'text', text: 'done' }] });
  /** Takes over a request, or returns false. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly calls: { name: string; args: unknown }[] = [];
  readonly requests: { method: string; rpc?: string; authorization?: string; body: string }[] = [];
  private readonly sessions = new Map<string, StreamableHTTPServerTransport>();
  private server?: Server;

  constructor(private readonly kind: McpKind = 'stream') {}

  async start(port = 0): Promise<this> {
    this.server = createServer((request, response) => void this.handle(request, response));
    await once(this.server.listen(port, '127.0.0.1'), 'listening');
    return this;
  }

  get port(): number {
    return (this.server!.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Forgets all sessions, as a restart does. */
  forget(): void {
    this.sessions.clear();
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    let body = '';
    for await (const part of request) body += part;
    const rpc = body ? (JSON.parse(body) as { method?: string }) : undefined;
    this.requests.push({ method, rpc: rpc?.method, authorization: headers.authorization, body });
    if (this.intercept(request, response)) return;
    if (this.kind === 'stateless') {
      const answer = await this.stateless.fetch(
        new Request(this.url, { method, headers: headers as Record<string, string>, body }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      return void response.end(await answer.text());
    }
    const id = headers['mcp-session-id'] as string | undefined;
    const known = id === undefined ? await this.open() : this.sessions.get(id);
    if (!known)
      return void response.writeHead(404).end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"gone"},"id":null}');
    await known.handleRequest(request, response, rpc);
  }

  private readonly stateless = createMcpHandler(
    () => {
      const mcp = new StatelessMcp({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
      mcp.setRequestHandler('tools/list', () => ({ tools: this.tools as never[] }));
      mcp.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
        this.calls.push({ name, args });
        return (await this.call(name, args)) as never;
      });
      return mcp;
    },
    { legacy: 'reject' },
  );

  private async open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: this.kind === 'json',
      onsessioninitialized: (id) => void this.sessions.set(id, transport),
    });
    const mcp = new Mcp({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
    mcp.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.tools }));
    mcp.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }) => {
      this.calls.push({ name, args });
      return (await this.call(name, args)) as object;
    });
    await mcp.connect(transport);
    return transport;
  }
}
