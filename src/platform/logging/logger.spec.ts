import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { describeError } from 'avatar-chat-runtime';
import { NestLogger } from './logger.js';

describe('the loggable parts of an error', () => {
  it('are its type, its location and its causes, never its message', () => {
    const error = new TypeError('the text of a message', { cause: new RangeError('another') });
    expect(describeError(error)).toEqual({
      error: 'TypeError',
      stack: expect.stringContaining('logger.spec'),
      cause: { error: 'RangeError', stack: expect.any(String) },
    });
    expect(JSON.stringify(describeError(error))).not.toMatch(/message|another/);
  });

  it('are a type if something else was thrown', () => {
    expect(describeError('text')).toEqual({ error: 'string' });
    expect(describeError(undefined)).toEqual({ error: 'undefined' });
  });
});

describe('log lines of Nest', () => {
  const lines = (
    write: (logger: NestLogger) => void,
  ): { level: number; msg?: string; context?: string; error?: string; stack?: string; details?: unknown }[] => {
    const stream = new PassThrough();
    write(new NestLogger(pino({ level: 'trace', base: undefined }, stream)));
    return String(stream.read())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  it('keep their level and their context', () => {
    const written = lines((logger) => {
      logger.fatal('one', 'Room');
      logger.error('two', 'stack', 'Room');
      logger.warn('three', 'Room');
      logger.log('four', 'Room');
      logger.debug('five', 'Room');
      logger.verbose('six', 'Room');
    });
    expect(written.map(({ level }) => level)).toEqual([60, 50, 40, 30, 20, 10]);
    expect(written.map(({ msg }) => msg)).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
    expect(new Set(written.map(({ context }) => context))).toEqual(new Set(['Room']));
  });

  it('of the service itself omit its name', () => {
    expect(lines((logger) => logger.warn('away', 'AvatarChat:Database'))[0]!.context).toBe('Database');
  });

  it('are at debug level if they only report the startup', () => {
    expect(lines((logger) => logger.log('Mapped {/jwt, POST} route', 'RouterExplorer'))[0]).toMatchObject({
      level: 20,
    });
  });

  it('report an error without its message', () => {
    const [line] = lines((logger) => logger.error(new Error('a secret')));
    expect(line).toMatchObject({ level: 50, error: 'Error' });
    expect(JSON.stringify(line)).not.toContain('a secret');
  });

  // As `new Logger('Room')` calls it: the context comes last, preceded by undefined if an error has nothing more.
  it('contain the fields of an object', () => {
    const [engine, retention] = lines((logger) => {
      logger.warn({ engine: 'crm', ...describeError(new TypeError('a secret')) }, 'TurnAnswer');
      logger.error({ ...describeError('text') }, undefined, 'Room');
    });
    expect(engine).toMatchObject({ level: 40, engine: 'crm', error: 'TypeError', context: 'TurnAnswer' });
    expect(engine!.stack).toContain('logger.spec');
    expect(retention).toMatchObject({ level: 50, error: 'string', context: 'Room' });
    expect(JSON.stringify([engine, retention])).not.toMatch(/a secret|\[object/);
  });

  it('keep a stack and an error that come with a text, without their messages', () => {
    const error = new TypeError('a secret');
    const written = lines((logger) => {
      logger.error('failed', error.stack, 'Room');
      logger.error('failed', error.stack);
      logger.error('failed', error, 'Room');
      logger.warn('failed', { attempt: 2, cause: error }, 'Room');
    });
    expect(written.map(({ msg }) => msg)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(written.map(({ context }) => context)).toEqual(['Room', undefined, 'Room', 'Room']);
    for (const { stack } of written.slice(0, 3)) expect(stack).toContain('logger.spec');
    expect(written[3]!.details).toEqual([{ attempt: 2, cause: expect.objectContaining({ error: 'TypeError' }) }]);
    expect(JSON.stringify(written)).not.toContain('a secret');
  });

  it('contain no credentials and no words of users, at any depth', () => {
    const turn = { request: 'my words', history: [{ answer: 'your words', date: 7 }], headers: { Authorization: 'b' } };
    const [line] = lines((logger) => logger.log({ turn, api_key: 'k', user_hash: 'h' }, 'Room'));
    expect(line).toMatchObject({
      turn: {
        request: '[redacted]',
        history: [{ answer: '[redacted]', date: 7 }],
        headers: { Authorization: '[redacted]' },
      },
      api_key: '[redacted]',
      user_hash: '[redacted]',
    });
  });

  it("accept any value, limit its size, and overwrite none of the log's fields", () => {
    const circular: Record<string, unknown> = { name: 'loop' };
    circular.self = circular;
    const unreadable = {
      get field() {
        throw new Error('no');
      },
    };
    const values = [circular, unreadable, [1n, Symbol('s'), () => 1, null], new Map([['a', new Set([1])]])];
    values.push({ level: 10, time: 0, msg: 'forged' } as never, Buffer.alloc(9) as never, 'x'.repeat(5000) as never);
    values.push(
      Object.create(null) as never,
      new Date(NaN) as never,
      Array.from({ length: 10_000 }, () => ({ a: 'b'.repeat(900) })) as never,
    );
    const written = lines((logger) => values.forEach((value) => logger.warn('odd', value, 'Room')));
    expect(written).toHaveLength(values.length);
    expect(written.every(({ level, msg }) => level === 40 && msg === 'odd')).toBe(true);
    const [asMessage, forged] = lines((logger) => {
      logger.warn(circular, 'Room');
      logger.warn({ level: 10, msg: 'forged' }, 'Room');
    });
    expect(asMessage).toMatchObject({ level: 40, name: 'loop' });
    expect(forged).toMatchObject({ level: 40, details: [{ level: 10, msg: 'forged' }] });
    for (const line of written) expect(JSON.stringify(line).length).toBeLessThan(60_000);
  });
});
