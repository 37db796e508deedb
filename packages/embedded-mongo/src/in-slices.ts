import { Doc } from './bson.js';
import { type Connection, type Engine, deadlineOf } from './engine.js';
import { prefix } from './records.js';
import { type Deadline, Slice } from './slice.js';

/** Keys that are read at once; between two such lots a command looks whether its slice of time is over. */
const LOT = 200;

/** How a long command lets others run, and when it has to be given up. */
export interface Pace {
  turn: () => Promise<void>;
  deadline?: Deadline;
}

export const paceOf = (engine: Engine, body: Doc, connection: Connection): Pace => ({
  turn: () => engine.turn(connection),
  deadline: deadlineOf(body),
});

/**
 * Goes along all keys of a collection's documents or of an index, with turns for other commands.
 * @param use runs at once, without a turn for anyone in between: what it reads is of one commit
 * @throws CommandError 50 when its time is over
 */
export async function inSlices(
  engine: Engine,
  table: 'docs' | 'keys',
  id: number,
  { turn, deadline }: Pace,
  use: (keys: Buffer[]) => void,
): Promise<void> {
  let start = prefix(id);
  let slice = new Slice();
  for (;;) {
    const keys = [...engine.store[table].getKeys({ start, end: prefix(id + 1), limit: LOT })];
    use(keys);
    if (keys.length < LOT) return;
    start = Buffer.concat([keys.at(-1)!, Buffer.of(0)]);
    deadline?.check();
    if (!slice.over()) continue;
    await turn();
    slice = new Slice();
  }
}
