import { PassThrough } from 'node:stream';
import { type LogFn, pino } from 'pino';
import { isChatter, terminalStream } from './terminal.js';

function printed(...line: Parameters<LogFn>): string {
  const destination = new PassThrough();
  const stream = terminalStream({ destination, colorize: false, translateTime: false });
  pino({ base: undefined, timestamp: false }, stream!).info(...line);
  return String(destination.read());
}

describe('the log on a terminal', () => {
  it('has a readable line for each request', () => {
    const access = { method: 'GET', route: '/chat', status: 404, ms: 6.1, request_id: 'r-1' };
    expect(printed(access)).toBe('INFO: GET /chat 404 6.1 ms {"request_id":"r-1"}\n');
    expect([access, { ...access, status: 304 }, {}, 'text'].map(isChatter)).toEqual([false, true, false, false]);
  });

  it('keeps context, text and fields of other lines', () => {
    expect(printed({ context: 'TurnAnswer', engine: 'crm' }, 'failed')).toBe(
      'INFO: TurnAnswer: failed {"engine":"crm"}\n',
    );
  });
});
