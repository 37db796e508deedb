import { connect } from 'node:net';
import type { Answer } from './test-app.js';

/** Sends bytes as they are to a listening server, and reads what comes until it closes, or until a whole answer is in. */
export function rawRequest(port: number, bytes: string | Buffer, patience = 5000): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const settle = () => {
      socket.destroy();
      const answer = parse(received);
      if (answer) resolve(answer);
      else reject(new Error(`No answer but ${JSON.stringify(received.slice(0, 200))}`));
    };
    socket.setTimeout(patience, settle);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (parse(received)) settle();
    });
    socket.on('close', settle);
    socket.on('error', settle);
  });
}

/** A whole HTTP/1.1 answer with a Content-Length, or undefined while it is not whole. */
function parse(text: string): Answer | undefined {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length']);
  if (!/^HTTP\/1\.1 \d{3}/.test(statusLine) || !(body.length >= length)) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: length ? JSON.parse(body) : undefined };
}
