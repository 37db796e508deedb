import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import { mongo } from 'mongoose';

/** A fault at one of an actor's commands: the actor ends there, or the command is run and its response lost. */
export interface Fault {
  kind: 'end' | 'lose';
  at: number;
}

/** A concurrent task, of which each database command is a step. */
export interface Actor {
  name: string;
  fault?: Fault;
  commands: number;
  ended: boolean;
}

/** Thrown at every command of an actor that has ended, in place of a process that is gone. */
class Ended extends Error {}

const COMMANDS = new Set(['find', 'getMore', 'insert', 'update', 'delete', 'findAndModify', 'aggregate']);

const actors = new AsyncLocalStorage<Actor>();
let scheduler: Scheduler | undefined;
let inFlight = 0;

type Command = (this: unknown, namespace: unknown, command: object, ...rest: unknown[]) => Promise<unknown>;

/** Makes the driver wait before each command of an actor, until the scheduler gives it its turn. */
export function stepCommands(): void {
  // Below everything that sends commands, whether Mongoose, GridFS or direct driver calls.
  const { Connection } = jest.requireActual('mongodb/lib/cmap/connection.js') as {
    Connection: { prototype: { command: Command } };
  };
  const { command } = Connection.prototype;
  Connection.prototype.command = async function (namespace, document, ...rest) {
    const actor = actors.getStore();
    const name = Object.keys(document)[0]!;
    // The driver's own commands, such as the handshake of a new connection, belong to no actor.
    if (!actor || !scheduler || !COMMANDS.has(name)) return command.call(this, namespace, document, ...rest);
    const number = await step(actor, name);
    inFlight++;
    try {
      const answer = await command.call(this, namespace, document, ...rest);
      if (actor.fault?.kind === 'lose' && actor.fault.at === number) throw new mongo.MongoNetworkTimeoutError('lost');
      return answer;
    } finally {
      inFlight--;
    }
  };
}

/** Waits for the actor's turn. @returns the index of the command */
async function step(actor: Actor, what: string): Promise<number> {
  await scheduler!.schedule(Promise.resolve(), `${actor.name} ${what}`);
  const number = actor.commands++;
  if (actor.fault?.kind === 'end' && number >= actor.fault.at) actor.ended = true;
  if (actor.ended) throw new Ended('The process has ended');
  return number;
}

/** A step of the current actor without a database command, such as a delivery. */
export async function stepOutside(what: string): Promise<void> {
  const actor = actors.getStore();
  if (actor && scheduler) await step(actor, what);
}

/** The current actor. */
export const actorAtWork = (): Actor | undefined => actors.getStore();

/** Runs tasks concurrently, one command at a time, in the scheduler's order, until all are done. */
export async function interleave(order: Scheduler, tasks: readonly [Actor, () => Promise<unknown>][]): Promise<void> {
  scheduler = order;
  let over = false;
  const all = Promise.allSettled(tasks.map(([actor, task]) => actors.run(actor, task))).then(() => (over = true));
  // Background work that they started, such as a delivery, continues after that.
  for (let idle = 0; idle < 3;) {
    if (order.count() > 0) await order.waitOne();
    else if (over) idle++;
    else await delay(1);
    do await setImmediate();
    while (inFlight > 0);
  }
  scheduler = undefined;
  await all;
}
