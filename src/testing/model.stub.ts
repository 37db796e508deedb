import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to the model. */
export interface ModelRequest {
  messages: { role: string; content: string | null; tool_call_id?: string; tool_calls?: object[] }[];
  stream?: boolean;
  stream_options?: object;
  tools?: { function: { name: string; description: string; parameters: object } }[];
  [field: string]: unknown;
}

/** An answer: its pieces, or deltas such as tool calls, each an event of the stream. */
export type ModelAnswer = readonly (string | object)[];

/** A server with OpenAI's API that answers as it is told, for tests of tools and prompts. */
export class ModelStub {
  /** A call of a tool, as a piece of an answer. @param args as an object, or as the text that a model wrote */
  static callOf(name: string, args: object | string, id = 'c1'): object {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    return { tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: text } }] };
  }

  readonly requests: ModelRequest[] = [];
  /** Those of the last request. */
  headers: IncomingHttpHeaders = {};
  /** How it answers a request; a promise delays it. */
  answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer> = () => ['Hello.'];
  /** Reported if the request asks for it, or is not streamed; undefined: the server does not know usage. */
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | undefined;
  /** Of every recording. */
  transcript = 'What was dictated';
  private readonly server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url!.endsWith('/audio/transcriptions')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ text: this.transcript }));
    }
    const asked = JSON.parse(body) as ModelRequest;
    this.requests.push(asked);
    this.headers = request.headers;
    const pieces = await this.answer(asked);
    const deltas = pieces.map((piece) => (typeof piece === 'string' ? { content: piece } : piece));
    const { usage } = this;
    if (!asked.stream) {
      const content = deltas.map((delta) => ('content' in delta ? delta.content : '')).join('');
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ object: 'chat.completion', choices, ...(usage && { usage }) }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const delta of deltas) response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    if (usage && asked.stream_options) response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
    response.end('data: [DONE]\n\n');
  });

  async start(): Promise<this> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get base_url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** An engine entry of the catalogue. */
  entry(more: object = {}): { kind: string; [field: string]: unknown } {
    return { kind: 'openai', base_url: this.base_url, model: 'stub', system_prompt: 'You are kind.', ...more };
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
