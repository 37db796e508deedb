const BATCH_ITEMS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;

/** Batches of up to 1,000 items and about 8 MiB. */
export async function* batches<T>(items: AsyncIterable<T>, bytesOf: (item: T) => number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for await (const item of items) {
    batch.push(item);
    bytes += bytesOf(item);
    if (batch.length < BATCH_ITEMS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Collects all values of a sequence that is known to be short. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
