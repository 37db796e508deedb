import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { FILE_LIMIT, receiveUpload } from './file.upload.js';

const wav = (size: number) => Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(size - 16, 7)]);
/** As it may arrive: byte by byte at first. */
const source = (bytes: Buffer, size = 1) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size, size = Math.min(size * 2, 65_536))
        yield bytes.subarray(at, at + size);
    })(),
    { objectMode: false },
  );
const gathered = async (content: AsyncIterable<Uint8Array>) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
};

describe('receiveUpload', () => {
  it.each([16, 4095, 4096, 4097, 300_000])(
    'passes %i bytes through unchanged, with their type and hash',
    async (size) => {
      const { content_type, content, sha256 } = await receiveUpload(source(wav(size)));
      expect(content_type).toBe('audio/wav');
      expect((await gathered(content)).equals(wav(size))).toBe(true);
      expect(sha256()).toBe(createHash('sha256').update(wav(size)).digest('hex'));
    },
  );

  it('accepts 10 MiB, and stops reading one byte later', async () => {
    expect(await gathered((await receiveUpload(source(wav(FILE_LIMIT), 65_536))).content)).toHaveLength(FILE_LIMIT);
    const endless = source(wav(4 * FILE_LIMIT), 65_536);
    const { content } = await receiveUpload(endless);
    await expect(gathered(content)).rejects.toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(endless.destroyed).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.alloc(3 * FILE_LIMIT, 'la la la ')],
  ])('rejects %s, and closes the source', async (_name, bytes) => {
    const given = source(bytes, 65_536);
    await expect(receiveUpload(given)).rejects.toMatchObject({ status: 415, code: 'unsupported_media_type' });
    expect(given.destroyed).toBe(true);
  });

  it('closes the source of content that nobody reads', async () => {
    const given = source(wav(300_000));
    await (await receiveUpload(given)).close();
    expect(given.destroyed).toBe(true);
  });
});
