/** Maximum length of a line in bytes: enough for every message, however it is escaped. */
export const LINE_LIMIT = 2 * 1024 * 1024;

const NEWLINE = 10;

/** A line without its line end. One above the limit has no bytes. */
export interface Line {
  /** Line number, from 1. */
  number: number;
  bytes: Buffer | 'too long';
  /** Bytes of the file up to and including this line. */
  end: number;
}

/** Splits a stream into lines; at most one line and one chunk are in memory at a time. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let end = 0;
  let kept: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer) => {
    length += part.length;
    if (length <= LINE_LIMIT) kept.push(part);
    else kept = [];
  };
  const take = (): Line => {
    end += length + 1;
    const bytes = length > LINE_LIMIT ? 'too long' : kept.length === 1 ? kept[0]! : Buffer.concat(kept);
    kept = [];
    length = 0;
    return { number: ++number, bytes, end };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let newline; (newline = chunk.indexOf(NEWLINE, start)) !== -1; start = newline + 1) {
      keep(chunk.subarray(start, newline));
      yield take();
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

/** Serializes values as JSON lines. */
export async function* jsonLines(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}
