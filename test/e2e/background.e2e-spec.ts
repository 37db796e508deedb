import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { BackgroundModule, BackgroundWork } from '../../src/platform/background/index.js';
import { createTestApp, onEachServer, TestClock, type TestApp, type TestServer } from '../support/index.js';

const MINUTE = 60_000;

/** The service with a job that is due at every tick, and another hourly one. */
async function start(server: TestServer, like?: TestApp, clock = like?.clock ?? new TestClock()) {
  const done = { often: 0, hourly: 0, fails: false, goesOn: () => false };
  @Module({ imports: [BackgroundModule] })
  class JobsModule {
    constructor(background: BackgroundWork) {
      const often = async (goesOn: () => boolean) => {
        done.often++;
        done.goesOn = goesOn;
        if (done.fails) throw new Error('it failed');
      };
      background.add({ name: 'often', everyMs: 10, run: often });
      background.add({ name: 'hourly', everyMs: 3_600_000, run: async () => void done.hourly++ });
    }
  }
  const config = like ? { database: like.config.database } : {};
  const test = await createTestApp({ server, modules: [JobsModule], config, clock });
  return { test, done };
}

const until = async (condition: () => boolean) => {
  const end = Date.now() + 50_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`It has not come about: ${String(condition)}`);
    await delay(20);
  }
};
const leases = ({ app }: TestApp) => app.get<Connection>(getConnectionToken()).collection('background');

onEachServer((server) => {
  it('background work is done in one process, and goes on in another one when that ends', async () => {
    const one = await start(server);
    await until(() => one.done.often > 1 && one.done.hourly === 1);
    const other = await start(server, one.test);
    const before = one.done.often;
    await until(() => one.done.often > before + 1);
    expect(other.done).toMatchObject({ often: 0, hourly: 0 });
    await one.test.app.close();
    expect(one.done.goesOn()).toBe(false);
    expect(await leases(other.test).findOne({})).not.toHaveProperty('holder');
    // It looks at the lease every ten seconds.
    await until(() => other.done.often > 0);
    // What was done a moment ago is not due yet.
    expect(other.done.hourly).toBe(0);
    await other.test.close();
  });

  it('a process whose lease another one has taken stops at once, and one that hangs loses its lease', async () => {
    const one = await start(server);
    await until(() => one.done.often > 0);
    // By the clock of the other process the lease has expired long ago.
    const other = await start(server, one.test, new TestClock(one.test.clock.now() + 2 * MINUTE));
    await until(() => other.done.often > 0);
    // The first one notices when it renews its lease, at the latest.
    await until(() => !one.done.goesOn());
    const { often } = one.done;
    await delay(2500);
    expect(one.done.often).toBe(often);
    await one.test.app.close();
    await other.test.close();
  });

  it('a job that fails is repeated', async () => {
    const one = await start(server);
    one.done.fails = true;
    await until(() => one.done.often > 2);
    await one.test.close();
  });
});
