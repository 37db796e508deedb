import { createHash, randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { FileService, FilesModule, FileUrls, type StoredFile } from '../../src/files/index.js';
import { GridFsFileStore } from '../../src/files/file-store.gridfs.js';
import { fileStoreContract } from '../../src/testing/file-store.contract.js';
import { anOwner, anyServer, createTestApp, onEachServer, type TestApp } from '../support/index.js';
import { MemoryFileStore } from '../support/memory.file-store.js';

const HOUR = 3_600_000;
const LARGE = 1_000_003;

/** Something that starts like a WAV. */
const recording = (size = LARGE): Buffer =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), randomBytes(size - 16)]);
const pathOf = (url: string) => url.replace('http://chat.test', '');

onEachServer((server) => {
  let test: TestApp;
  let files: FileService;
  let urls: FileUrls;
  beforeAll(async () => {
    test = await createTestApp({ server, modules: [FilesModule] });
    files = test.app.get(FileService);
    urls = test.app.get(FileUrls);
  });
  afterAll(() => test.close());

  const collection = (name: 'files' | 'chunks') =>
    test.app.get<Connection>(getConnectionToken()).db!.collection(`files.${name}`);
  const save = (bytes = recording(), details?: unknown) => files.save(anOwner(), [bytes], details);

  fileStoreContract('GridFS', () => test.app.get(GridFsFileStore));

  describe('a saved file', () => {
    it('has the type of its bytes, and their hash', async () => {
      const bytes = recording();
      expect(await save(bytes)).toEqual({
        file_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        size: LARGE,
        content_type: 'audio/wav',
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
    });

    it.each([
      ['is not a recording', () => Buffer.alloc(2_000_000, 'no sound at all '), 'unsupported_media_type'],
      ['is larger than 10 MiB', () => recording(10 * 1024 * 1024 + 1), 'payload_too_large'],
    ])('leaves nothing behind if it %s', async (_name, bytes, code) => {
      const before = await Promise.all([collection('files').countDocuments(), collection('chunks').countDocuments()]);
      const body = Readable.from(
        (function* (all: Buffer) {
          for (let at = 0; at < all.length; at += 65_536) yield all.subarray(at, at + 65_536);
        })(bytes()),
      );
      await expect(files.save(anOwner(), body)).rejects.toMatchObject({ code });
      expect(body.destroyed).toBe(true);
      expect(await Promise.all([collection('files').countDocuments(), collection('chunks').countDocuments()])).toEqual(
        before,
      );
    });

    it('rejects details that are too long', async () => {
      await expect(save(recording(), 'x'.repeat(1_100_000))).rejects.toBeInstanceOf(RangeError);
    });

    it('is found by its owner, and its chunks by their position, through indexes', async () => {
      await save();
      const keys = async (name: 'files' | 'chunks') =>
        (await collection(name).listIndexes().toArray()).map(({ key }) => key);
      expect(await keys('files')).toContainEqual({ 'metadata.project_id': 1, 'metadata.user_id': 1 });
      expect(await keys('chunks')).toContainEqual({ files_id: 1, n: 1 });
    });
  });

  describe('GET /files/:file_id', () => {
    let bytes: Buffer;
    let file: StoredFile;
    let path: string;
    let port: number;
    beforeAll(async () => {
      port = await test.listen();
      bytes = recording();
      file = await save(bytes, { seconds: 2, phonemes: [] });
      path = pathOf(urls.sign(file.file_id));
    });

    const fetched = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      test.app.inject({ method, url: path, headers });

    it('sends plain bytes to a client that accepts nothing else', async () => {
      const { headers } = await fetched({ accept: 'application/octet-stream', origin: 'https://page.test' });
      expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', vary: 'Accept, Origin' });
    });

    it('sends the file to whoever has its URL, without a token', async () => {
      const answer = await fetched();
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'audio/wav',
        'content-length': String(LARGE),
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'sandbox',
        'cache-control': expect.stringContaining('private'),
        'accept-ranges': 'bytes',
        'x-request-id': expect.any(String),
      });
      expect(answer.rawPayload.equals(bytes)).toBe(true);
    });

    it.each([
      ['bytes=0-99', 0, 100],
      ['bytes=261100-261200', 261_100, 261_201],
      ['bytes=-7', LARGE - 7, LARGE],
      ['bytes=500000-', 500_000, LARGE],
    ])('sends the range %s', async (range, start, end) => {
      const answer = await fetched({ range });
      expect(answer.statusCode).toBe(206);
      expect(answer.headers['content-range']).toBe(`bytes ${start}-${end - 1}/${LARGE}`);
      expect(answer.rawPayload.equals(bytes.subarray(start, end))).toBe(true);
    });

    it('refuses a range outside the file', async () => {
      const answer = await test.call({ path, headers: { range: `bytes=${LARGE}-` } });
      expect(answer).toMatchObject({ status: 416, body: { error: 'range_not_satisfiable' } });
      expect(answer.headers['content-range']).toBe(`bytes */${LARGE}`);
      expect(answer.headers['content-type']).toContain('application/json');
    });

    it('sends nothing to a client that already has it', async () => {
      const { etag } = (await fetched()).headers;
      const answer = await fetched({ 'if-none-match': String(etag) });
      expect(answer).toMatchObject({ statusCode: 304, payload: '' });
      expect(answer.headers).toMatchObject({ etag, 'cache-control': expect.stringContaining('private') });
    });

    it('responds to HEAD with only the headers', async () => {
      const answer = await fetched({ range: 'bytes=0-9' }, 'HEAD');
      expect(answer).toMatchObject({ statusCode: 200, payload: '' });
      expect(answer.headers).toMatchObject({ 'content-length': String(LARGE), 'content-type': 'audio/wav' });
    });

    it('returns its details by the same signature', async () => {
      const answer = await test.call({ path: path.replace('?', '/details?') });
      expect(answer).toMatchObject({ status: 200, body: { seconds: 2, phonemes: [] } });
    });

    it('refuses a wrong, stale or missing signature and an unknown file with the same message', async () => {
      const gone = await save();
      await files.remove([gone.file_id]);
      const bare = await save();
      const signature = /signature=.*/.exec(path)![0];
      const refused = [
        `/files/${file.file_id}`,
        `${path}&signature=a`,
        path.replace(signature, `signature=${'A'.repeat(43)}`),
        path.replace(file.file_id, '0'.repeat(24)),
        pathOf(urls.sign(gone.file_id)),
        pathOf(urls.sign('nonsense')),
        `/files/${file.file_id}/details`,
        pathOf(urls.sign(bare.file_id)).replace('?', '/details?'),
      ];
      const stale = pathOf(urls.sign(file.file_id));
      const answers = [];
      for (const url of refused) answers.push(await test.call({ path: url, headers: { range: 'bytes=99999999-' } }));
      test.clock.advance(25 * HOUR);
      answers.push(await test.call({ path: stale }));
      test.clock.advance(-25 * HOUR);
      const seen = answers.map(({ status, headers, text }) => ({
        status,
        type: headers['content-type'],
        text: text.replace(headers['x-request-id']!, ''),
      }));
      expect(new Set(seen.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 404, body: { error: 'file_not_found' } });
    });

    it('stops reading when the client leaves', async () => {
      const large = await save(recording(9_000_000));
      let opened: Readable | undefined;
      const open = files.open.bind(files);
      jest.spyOn(files, 'open').mockImplementation(async (...given) => (opened = await open(...given)));
      const response = await new Promise<IncomingMessage>((resolve) =>
        get({ port, path: pathOf(urls.sign(large.file_id)) }, resolve),
      );
      await new Promise((resolve) => response.once('data', resolve));
      response.destroy();
      await new Promise((resolve) => opened!.once('close', resolve));
      expect(opened!.destroyed).toBe(true);
      expect(opened!.readableEnded).toBe(false);
    });

    it('aborts the response if the file is removed midway', async () => {
      const large = await save(recording(9_000_000));
      const response = await new Promise<IncomingMessage>((resolve) =>
        get({ port, path: pathOf(urls.sign(large.file_id)) }, resolve),
      );
      await files.remove([large.file_id]);
      const length = response.toArray().then((pieces) => Buffer.concat(pieces).length);
      await expect(length).rejects.toMatchObject({ code: 'ECONNRESET' });
    });
  });
});

describe('a module that provides a file store', () => {
  @Module({ providers: [MemoryFileStore] })
  class MemoryFilesModule {}

  fileStoreContract('a store in memory', () => new MemoryFileStore());

  it('replaces GridFS with it', async () => {
    const test = await createTestApp({ server: anyServer(), modules: [FilesModule, MemoryFilesModule] });
    try {
      const bytes = recording();
      const { file_id } = await test.app.get(FileService).save(anOwner(), Readable.from([bytes]));
      expect(await test.app.get(MemoryFileStore).find(file_id)).toBeDefined();
      const url = pathOf(test.app.get(FileUrls).sign(file_id));
      expect((await test.app.inject({ url })).rawPayload.equals(bytes)).toBe(true);
    } finally {
      await test.close();
    }
  });
});
