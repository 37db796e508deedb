import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import { mongo } from 'mongoose';

/** What befalls an actor at one of its commands: it ends there, or the command is carried out and its answer lost. */
export interface Fault {
  kind: 'end' | 'lose';
  at: number;
}

/** Something that goes on beside others, of which each command to the database is a step. */
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

/** Has the driver wait, before each command of an actor, until the scheduler says that it is its turn. */
export function stepCommands(): void {
  // Below everything that sends commands, be it Mongoose, GridFS or the driver's own calls.
  const { Connection } = jest.requireActual('mongodb/lib/cmap/connection.js') as {
    Connection: { prototype: { command: Command } };
  };
  const { command } = Connection.prototype;
  Connection.prototype.command = async function (namespace, document, ...rest) {
    const actor = actors.getStore();
    const name = Object.keys(document)[0]!;
    // The driver's own, such as the greeting of a new connection, belong to nobody.
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

/** Waits for the actor's turn. @returns which of its commands it is */
async function step(actor: Actor, what: string): Promise<number> {
  await scheduler!.schedule(Promise.resolve(), `${actor.name} ${what}`);
  const number = actor.commands++;
  if (actor.fault?.kind === 'end' && number >= actor.fault.at) actor.ended = true;
  if (actor.ended) throw new Ended('The process has ended');
  return number;
}

/** A step of the actor at work that is none of the database, such as a delivery. */
export async function stepOutside(what: string): Promise<void> {
  const actor = actors.getStore();
  if (actor && scheduler) await step(actor, what);
}

/** Who is at work. */
export const actorAtWork = (): Actor | undefined => actors.getStore();

/** Runs tasks side by side, one command at a time, in the scheduler's order, until all are over. */
export async function interleave(order: Scheduler, tasks: readonly [Actor, () => Promise<unknown>][]): Promise<void> {
  scheduler = order;
  let over = false;
  const all = Promise.allSettled(tasks.map(([actor, task]) => actors.run(actor, task))).then(() => (over = true));
  // What was begun on the side, such as a delivery, goes on after that.
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
