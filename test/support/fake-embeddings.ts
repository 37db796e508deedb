import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with OpenAI's API for embeddings: texts with any of these words are close to each other. */
export async function startFakeEmbeddings(
  words: readonly string[],
): Promise<{ base_url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const input: string[] = [JSON.parse(body).input].flat();
    const data = input.map((text, index) => {
      const isClose = words.some((word) => text.toLowerCase().includes(word));
      return { object: 'embedding', index, embedding: isClose ? [1, 0.1, 0] : [0, 0.1, 1] };
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data, model: 'e', usage: { prompt_tokens: 1, total_tokens: 1 } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
