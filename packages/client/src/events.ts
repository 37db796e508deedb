import type { Exchange } from './abort.js';

/** The events of a server-sent event stream, with parsed data. Skips comments, which are keep-alives. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  exchange: Exchange,
): AsyncGenerator<{ event: string; data: unknown }, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  try {
    for (;;) {
      const { done, value } = await exchange.wait(reader.read());
      if (done) return;
      const blocks = (buffer + decoder.decode(value, { stream: true })).split('\n\n');
      buffer = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
      }
    }
  } finally {
    // Ends the request: the avatar is interrupted.
    reader.cancel().catch(() => undefined);
  }
}
