import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with OpenAI's streaming chat API: it counts, a word every 50 ms, until `words` or forever. */
export async function startFakeOpenAi(
  words = Infinity,
): Promise<{ base_url: string; requests: any[]; stop(): Promise<void> }> {
  const requests: any[] = [];
  const open = new Set<ServerResponse>();
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(JSON.parse(body));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    open.add(response);
    const chunk = (delta: object, finish_reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      );
    let n = 0;
    const timer = setInterval(() => {
      if (++n <= words) return chunk({ content: `${n} ` });
      clearInterval(timer);
      chunk({}, 'stop');
      response.end('data: [DONE]\n\n');
    }, 50);
    response.on('close', () => {
      clearInterval(timer);
      open.delete(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async stop() {
      for (const response of open) response.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
