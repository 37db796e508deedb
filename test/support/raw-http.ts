import { connect } from 'node:net';
import type { Answer } from '../../src/testing/index.js';

/** Sends raw bytes to a listening server, and reads until it closes the connection, or a whole response has arrived. */
export async function rawRequest(port: number, bytes: string | Buffer, patience = 5000): Promise<Answer> {
  const [answer] = await rawAnswers(port, bytes, { most: 1, patience });
  if (!answer) throw new Error('The connection was closed without an answer');
  return answer;
}

/**
 * Sends raw bytes to a listening server, and reads all responses until it closes the connection, or until `most` have
 * arrived. Rejects if the server neither responds nor closes within `patience` milliseconds, or sends something that is
 * not a response.
 */
export function rawAnswers(
  port: number,
  bytes: string | Buffer,
  { most = Infinity, patience = 20_000 } = {},
): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const answers: Answer[] = [];
    let received = '';
    const settle = () => {
      socket.destroy();
      if (received && answers.length < most)
        reject(new Error(`No answer but ${JSON.stringify(received.slice(0, 200))}`));
      else resolve(answers);
    };
    socket.setTimeout(patience, () => {
      socket.destroy();
      reject(new Error(`Neither answered nor closed, after ${answers.length} answers and ${JSON.stringify(received)}`));
    });
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let next = parseAnswer(received); next && answers.length < most; next = parseAnswer(received)) {
        if (next.answer.status >= 200) answers.push(next.answer);
        received = next.rest;
      }
      if (answers.length >= most) settle();
    });
    socket.on('close', settle);
    socket.on('error', () => undefined); // and then it closes
  });
}

/** The first complete HTTP/1.1 response with a Content-Length, or undefined while it is incomplete. */
export function parseAnswer(text: string): { answer: Answer; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  if (end === -1 || !status) return undefined;
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? 0);
  const body = text.slice(end + 4, end + 4 + length);
  if (body.length < length) return undefined;
  const json = length > 0 && /json/.test(headers['content-type'] ?? '');
  return {
    answer: { status, headers, text: body, body: json ? JSON.parse(body) : undefined },
    rest: text.slice(end + 4 + length),
  };
}
