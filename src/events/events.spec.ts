import { PassThrough } from 'node:stream';
import { Logger } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { pino } from 'pino';
import { NestLogger } from '../platform/logging/index.js';
import type { ServiceEvent } from './event.types.js';
import { Events } from './events.js';

const erased: ServiceEvent = {
  id: 'evt_1',
  type: 'user.erased',
  date: 1,
  data: { project_id: 'p', user_id: 'u', messages: 1, sessions: 0 },
};

it('errors of listeners are logged by type and location, without their message', async () => {
  const stream = new PassThrough();
  Logger.overrideLogger(new NestLogger(pino({ base: undefined }, stream)));
  const emitter = new EventEmitter2();
  const heard: unknown[] = [];
  emitter.on('user.erased', async () => {
    throw new RangeError('the user said: hunter2');
  });
  emitter.on('user.erased', (event) => heard.push(event));
  const events = new Events(emitter, undefined as never);
  void events.emit(erased);
  await new Promise((resolve) => setImmediate(resolve));
  const [line] = String(stream.read()).split('\n');
  expect(JSON.parse(line!)).toMatchObject({ level: 50, context: 'Events', cause: { error: 'RangeError' } });
  expect(line).not.toContain('hunter2');
  expect(heard).toEqual([erased]);
});
