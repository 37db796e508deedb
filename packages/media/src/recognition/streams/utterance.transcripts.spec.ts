import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TranscriptionEvent } from './transcription.stream.js';
import { type UtteranceRecording, UtteranceTranscripts } from './utterance.transcripts.js';

describe('UtteranceTranscripts', () => {
  let heard: TranscriptionEvent[];
  let asked: UtteranceRecording[];
  let answer: ((text: string | undefined) => void)[];
  let transcripts: UtteranceTranscripts;
  beforeEach(() => {
    [heard, asked, answer] = [[], [], []];
    transcripts = new UtteranceTranscripts(
      (recording) => {
        asked.push(recording);
        return new Promise((resolve) => answer.push(resolve));
      },
      (event) => heard.push(event),
    );
  });
  afterEach(() => transcripts.close());
  const add = (utterance: number, length = 3) =>
    transcripts.add(utterance, new Int16Array(length).fill(-2), 16_000, 'en');
  const turn = () => new Promise((done) => setImmediate(done));

  it('makes a WAV file of an utterance', async () => {
    add(1);
    await turn();
    const { audio, content_type, language_code } = asked[0]!;
    expect([content_type, language_code]).toEqual(['audio/wav', 'en']);
    const wav = await buffer(audio);
    expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect([wav.readUInt32LE(4), wav.readUInt32LE(24), wav.readUInt32LE(28), wav.readUInt32LE(40)]).toEqual([
      wav.length - 8,
      16_000,
      32_000,
      6,
    ]);
    expect([...new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length))]).toEqual([
      -2, -2, -2,
    ]);
    answer[0]!(undefined);
    await turn();
    expect(heard).toEqual([{ event: 'final', utterance: 1, text: '' }]);
  });

  it('transcribes one at a time, with a limited queue', async () => {
    for (let n = 1; n <= 5; n++) add(n, n === 2 ? 0 : 3);
    for (let n = 0; n < 3; n++) {
      await turn();
      expect(asked).toHaveLength(n + 1);
      answer[n]!(`${n}`);
    }
    await turn();
    expect(heard.map((event) => ('text' in event ? event.text : ''))).toEqual(['0', '', '1', '2', undefined]);
  });

  it('does not wait for a transcriber that ignores its signal, even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const hanging = new UtteranceTranscripts(
      () => new Promise(() => undefined),
      (event) => heard.push(event),
      50,
    );
    hanging.add(1, new Int16Array(3), 16_000, 'en');
    // Each takes as long as the heap is large, which all specs of a suite share.
    for (let n = 0; n < 2; n++) {
      await new Promise((done) => setTimeout(done, 10));
      collectGarbage();
    }
    for (let n = 0; n < 20 && heard.length === 0; n++) await new Promise((done) => setTimeout(done, 10));
    expect(heard).toEqual([{ event: 'final', utterance: 1, text: undefined }]);
    hanging.close();
  });

  it('cancels pending requests when it is closed', async () => {
    add(1);
    add(2);
    await turn();
    transcripts.close();
    expect(asked[0]!.signal.aborted).toBe(true);
    await turn();
    await turn();
    expect(asked).toHaveLength(1);
    expect(heard).toEqual([]);
  });
});
