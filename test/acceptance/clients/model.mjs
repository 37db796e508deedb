/** A server with OpenAI's chat API whose answers show what reached it: instructions, functions and their results. */
import { once } from 'node:events';
import { createServer } from 'node:http';

const LONG = 'This is a long answer that goes on and on. '.repeat(8);

/** @param {{ messages: { role: string, content: string | null }[], tools?: object[] }} request */
function answerTo({ messages, tools }) {
  const { role, content } = /** @type {{ role: string, content: string }} */ (messages.at(-1));
  if (role === 'tool') return { content: `It is ${content.replaceAll('"', '')} there.` };
  if (/weather/i.test(content) && tools) {
    const call = { name: 'get_weather', arguments: '{"city":"Paris"}' };
    return { tool_calls: [{ index: 0, id: `call_${messages.length}`, type: 'function', function: call }] };
  }
  if (/long/i.test(content)) return { content: LONG };
  const instructed = messages.some((one) => one.role === 'system' && one.content?.includes('PINEAPPLE'));
  return { content: `${instructed ? 'PINEAPPLE. ' : ''}I see.` };
}

/** @returns {Promise<{ base_url: string, stop: () => void }>} */
export async function startModel() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
    const send = (/** @type {object} */ data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send({ choices: [{ index: 0, delta: answerTo(JSON.parse(body)) }] });
    send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    base_url: `http://127.0.0.1:${address.port}/v1`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
