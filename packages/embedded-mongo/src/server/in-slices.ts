import { Doc } from '../values/bson.js';
import { type Connection, type ServerState, deadlineOf } from './server-state.js';
import { prefix } from '../storage/records.js';
import { type Deadline, Slice } from './slice.js';

/** Keys read at once. Between two such chunks a command checks whether its time slice is over. */
const CHUNK_KEYS = 200;

/** How a long command lets others run, and when it times out. */
export interface Pace {
  letOthersRun: () => Promise<void>;
  deadline?: Deadline;
}

export const paceOf = (state: ServerState, body: Doc, connection: Connection): Pace => ({
  letOthersRun: () => state.letOthersRun(connection),
  deadline: deadlineOf(body),
});

/**
 * Iterates over all keys of a collection's documents or of an index, and lets other commands run in between.
 * @param use runs synchronously, so everything it reads is from one commit
 * @throws CommandError 50 when its time is over
 */
export async function inSlices(
  state: ServerState,
  table: 'docs' | 'keys',
  id: number,
  { letOthersRun, deadline }: Pace,
  use: (keys: Buffer[]) => void,
): Promise<void> {
  let start = prefix(id);
  let slice = new Slice();
  for (;;) {
    const keys = [...state.store[table].getKeys({ start, end: prefix(id + 1), limit: CHUNK_KEYS })];
    use(keys);
    if (keys.length < CHUNK_KEYS) return;
    start = Buffer.concat([keys.at(-1)!, Buffer.of(0)]);
    deadline?.check();
    if (!slice.over()) continue;
    await letOthersRun();
    slice = new Slice();
  }
}
