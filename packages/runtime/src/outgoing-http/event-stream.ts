const NEWLINE = 0x0a;
const RETURN = 0x0d;
const DATA = Buffer.from('data:');
const MARK = Buffer.from('\ufeff');

/**
 * Passes the data of server-sent events through, one whole event at a time, and drops everything else. A parser behind
 * it that buffers its input never has to buffer more than `maxBytes`, however small the chunks are. Event names are
 * dropped on purpose: for some of them the `openai` package prints what it cannot parse, which may quote a user, to
 * standard error.
 */
export function onlyEvents(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  /** The incomplete line, and the event's previous lines. */
  let line: Uint8Array[] = [];
  let event: Uint8Array[] = [];
  let length = 0;

  const endLine = (): Buffer | undefined => {
    const whole = Buffer.concat(line);
    // It begins with the first line, if there is one.
    const start = whole.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
    const text = whole.subarray(start, whole.at(-1) === RETURN ? -1 : whole.length);
    line = [];
    if (text.length > 0) {
      if (text.subarray(0, DATA.length).equals(DATA)) event.push(text, Buffer.of(NEWLINE));
      return undefined;
    }
    const lines = event;
    event = [];
    length = 0;
    return lines.length > 0 ? Buffer.concat([...lines, Buffer.of(NEWLINE)]) : undefined;
  };

  return new TransformStream({
    transform(piece, controller) {
      for (let start = 0; start < piece.length;) {
        const end = piece.indexOf(NEWLINE, start);
        const part = piece.subarray(start, end === -1 ? piece.length : end);
        length += part.length;
        if (length > maxBytes) return controller.error(new Error('An event is too long'));
        line.push(part);
        if (end === -1) return;
        const whole = endLine();
        if (whole) controller.enqueue(whole);
        start = end + 1;
      }
    },
  });
}
