import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { describeError, NestLogger } from './logger.js';

describe('what a log holds of an error', () => {
  it('is its kind, its place and its causes, never its message', () => {
    const error = new TypeError('the text of a message', { cause: new RangeError('another') });
    expect(describeError(error)).toEqual({
      error: 'TypeError',
      stack: expect.stringContaining('logger.spec'),
      cause: { error: 'RangeError', stack: expect.any(String) },
    });
    expect(JSON.stringify(describeError(error))).not.toMatch(/message|another/);
  });

  it('is a type where something else was thrown', () => {
    expect(describeError('text')).toEqual({ error: 'string' });
    expect(describeError(undefined)).toEqual({ error: 'undefined' });
  });
});

describe('the lines of Nest', () => {
  const lines = (
    write: (logger: NestLogger) => void,
  ): { level: number; msg?: string; context?: string; error?: string }[] => {
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

  it('are quieter where they only tell of the start', () => {
    expect(lines((logger) => logger.log('Mapped {/jwt, POST} route', 'RouterExplorer'))[0]).toMatchObject({
      level: 20,
    });
  });

  it('tell of an error without its message', () => {
    const [line] = lines((logger) => logger.error(new Error('a secret')));
    expect(line).toMatchObject({ level: 50, error: 'Error' });
    expect(JSON.stringify(line)).not.toContain('a secret');
  });
});
