import { onlyEvents } from './event-stream.js';

/** The output for a text, in chunks of this many bytes. */
async function through(text: string, size: number, maxBytes = 100): Promise<string[]> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  const events: string[] = [];
  const stream = ReadableStream.from<Uint8Array>(pieces).pipeThrough(onlyEvents(maxBytes));
  for await (const event of stream) events.push(Buffer.from(event).toString());
  return events;
}

describe('a stream of events', () => {
  it.each([1, 2, 7, 1000])('passes through event by event, in chunks of %i bytes', async (size) => {
    const text = 'data: {"a":1}\n\ndata: grüße\r\ndata: 2\r\n\r\n\n\ndata: [DONE]\n\n';
    expect(await through(text, size)).toEqual(['data: {"a":1}\n\n', 'data: grüße\ndata: 2\n\n', 'data: [DONE]\n\n']);
  });

  it.each([1, 2, 1000])('may begin with a byte order mark, in chunks of %i bytes', async (size) => {
    expect(await through('\ufeffdata: 1\n\ndata: 2\n\n', size)).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  it('drops everything but data', async () => {
    expect(await through(': comment\n\nid: 7\nevent: thread.run\nretry: 1\ndata: x\n\ndata: cut off', 5)).toEqual([
      'data: x\n\n',
    ]);
  });

  it.each([
    ['a line', `data: ${'x'.repeat(200)}`],
    ['an event', 'data: x\n'.repeat(200)],
    ['anything but data', `: ${'x'.repeat(200)}\n\n`],
  ])('fails at %s that is too long', async (_, text) => {
    await expect(through(`data: ok\n\n${text}`, 10)).rejects.toThrow('An event is too long');
  });

  it('has no other end', async () => {
    expect(await through('data: x\n\n'.repeat(1000), 64)).toHaveLength(1000);
  });
});
