import { Doc } from './bson.js';
import { type Connection, type Engine, deadlineOf } from './engine.js';
import { prefix } from './records.js';
import { type Deadline, Slice } from './slice.js';

/** Keys read at once. Between two such chunks a command checks whether its time slice is over. */
const CHUNK_KEYS = 200;

/** How a long command lets others run, and when it times out. */
export interface Pace {
  turn: () => Promise<void>;
  deadline?: Deadline;
}

export const paceOf = (engine: Engine, body: Doc, connection: Connection): Pace => ({
  turn: () => engine.turn(connection),
  deadline: deadlineOf(body),
});

/**
 * Iterates over all keys of a collection's documents or of an index, and lets other commands run in between.
 * @param use runs synchronously, so everything it reads is from one commit
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
    const keys = [...engine.store[table].getKeys({ start, end: prefix(id + 1), limit: CHUNK_KEYS })];
    use(keys);
    if (keys.length < CHUNK_KEYS) return;
    start = Buffer.concat([keys.at(-1)!, Buffer.of(0)]);
    deadline?.check();
    if (!slice.over()) continue;
    await turn();
    slice = new Slice();
  }
}
