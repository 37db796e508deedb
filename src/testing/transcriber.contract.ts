import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type Transcriber, type TranscribeRequest } from 'avatar-chat-models';
import { assertEndsSoon, assertTakesEntry, testRunner } from './contract.js';

/**
 * The tests that every transcriber must pass, for your own spec under Jest or another runner with `describe` and `it`.
 *
 * @param name subject of the tests, for the report
 * @param make returns a ready transcriber
 * @param request a valid entry, a recording with words, and its type
 * @example
 * ```ts
 * transcriberContract('the fixed transcriber', () => new FixedTranscriber(), {
 *   entry: { kind: 'fixed' }, audio: readFileSync('hello.mp3'), content_type: 'audio/mpeg', language_code: 'en',
 * });
 * ```
 */
export function transcriberContract(
  name: string,
  make: () => Transcriber | Promise<Transcriber>,
  request: Omit<TranscribeRequest, 'signal' | 'audio' | 'holders'> & { readonly audio: Uint8Array },
): void {
  const asking = (signal = new AbortController().signal): TranscribeRequest => ({
    ...request,
    holders: ['a user'],
    audio: Readable.from(pieces(request.audio), { objectMode: false }),
    signal,
  });

  const { describe, it } = testRunner();
  describe(`${name} keeps the contract of a transcriber`, () => {
    it('has the kind that its entry names, and accepts the entry', async () => {
      const transcriber = await make();
      assertTakesEntry(transcriber, request.entry);
    });

    it('transcribes speech, without surrounding white space', async () => {
      const text = await (await make()).transcribe(asking());
      assert.ok(text, 'there were no words');
      assert.equal(text, text.trim());
    });

    it('serves concurrent calls', async () => {
      const transcriber = await make();
      for (const text of await Promise.all([1, 2, 3, 4].map(() => transcriber.transcribe(asking())))) assert.ok(text);
    });

    it('passes on that a recording was interrupted', async () => {
      const broken = async function* () {
        yield request.audio.subarray(0, 100);
        throw new RangeError('the file is gone');
      };
      await assert.rejects(
        (await make()).transcribe({ ...asking(), audio: Readable.from(broken(), { objectMode: false }) }),
      );
    });

    it('ends soon when it is aborted, before or midway', async () => {
      const transcriber = await make();
      await assertEndsSoon(transcriber.transcribe(asking(AbortSignal.abort())));
      await assertEndsSoon(transcriber.transcribe(asking(AbortSignal.timeout(1))));
    });
  });
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
