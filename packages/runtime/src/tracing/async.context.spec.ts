import { AsyncLocalStorage } from 'node:async_hooks';
import { AsyncContext } from './async.context.js';

let context: AsyncContext<string>;
beforeEach(() => {
  jest.useFakeTimers();
  context = new AsyncContext();
});
afterEach(() => jest.useRealTimers());

/** Reads the value later, within what is called here. */
const reader = () => {
  let read!: () => string | undefined;
  const resumed = new Promise<void>((resolve) => (read = () => (resolve(), undefined)));
  const value = (async () => (await resumed, context.value))();
  return async () => (read(), value);
};

describe('a value of a function and of all that it starts', () => {
  it('is theirs alone, also after errors', async () => {
    const release = context.holdValues(0);
    const later = context.run('one', reader);
    expect(context.run('two', () => context.value)).toBe('two');
    expect(() =>
      context.run('three', () => {
        throw new Error('x');
      }),
    ).toThrow('x');
    await expect(context.run('four', () => Promise.reject(new Error('y')))).rejects.toThrow('y');
    expect(context.value).toBeUndefined();
    expect(await later()).toBe('one');
    release();
  });

  it('is kept as long as somebody holds it, and for a moment after that', async () => {
    const release = context.holdValues(5000);
    const [soon, late] = [context.run('one', reader), context.run('one', reader)];
    release();
    jest.advanceTimersByTime(4000);
    context.holdValues(0)();
    expect(await soon()).toBe('one');
    jest.advanceTimersByTime(2000);
    expect(await late()).toBeUndefined();
    expect(context.run('two', () => context.value)).toBe('two');
  });

  it('is out of use at once when nobody holds it: each promise of the process would be slower', async () => {
    const disable = jest.spyOn(AsyncLocalStorage.prototype, 'disable');
    const later = context.run('one', reader);
    expect(disable).toHaveBeenCalledTimes(1);
    expect(await later()).toBeUndefined();
    disable.mockRestore();
  });

  it('is kept as long as a promise is open, or somebody holds it', async () => {
    let end!: () => void;
    const open = context.run('one', () => new Promise<void>((resolve) => (end = resolve)));
    const later = [context.run('two', reader), context.run('three', reader), context.run('four', reader)];
    jest.advanceTimersByTime(10_000);
    expect(await later[0]!()).toBe('two');
    const release = context.holdValues(0);
    end();
    await open;
    jest.advanceTimersByTime(10_000);
    expect(await later[1]!()).toBe('three');
    release();
    release();
    expect(await later[2]!()).toBeUndefined();
  });
});
