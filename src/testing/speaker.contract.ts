import assert from 'node:assert/strict';
import { LIVE_RATE, type SpeechSamples, type Speech } from 'avatar-chat-media';
import { type Speaker, type SpeakRequest } from 'avatar-chat-models';
import { assertEndsSoon, assertTakesEntry, testRunner } from './contract.js';

/** For the longest speech, on a busy machine. */
const LONG_MS = 120_000;

/**
 * The tests that every speaker must pass, for your own spec under Jest or another runner with `describe` and `it`.
 *
 * @param name subject of the tests, for the report
 * @param make returns a ready speaker
 * @param request a valid entry, and a sentence or two in a language that it speaks
 * @example
 * ```ts
 * speakerContract('the studio', () => new StudioSpeaker(), { entry: { kind: 'studio' }, text: 'Hello! How are you?', language_code: 'en' });
 * ```
 */
export function speakerContract(
  name: string,
  make: () => Speaker | Promise<Speaker>,
  request: Omit<SpeakRequest, 'signal'>,
): void {
  const asking = (changes: Partial<SpeakRequest> = {}): SpeakRequest => ({
    signal: new AbortController().signal,
    ...request,
    ...changes,
  });

  const { describe, it } = testRunner();
  describe(`${name} keeps the contract of a speaker`, () => {
    it('has the kind that its entry names, and accepts the entry', async () => {
      const speaker = await make();
      assertTakesEntry(speaker, request.entry);
    });

    it('returns MP3 with a positive length, and phonemes in order or none', async () => {
      assertSpeech(await (await make()).speak(asking()));
    });

    it('serves concurrent calls', async () => {
      const speaker = await make();
      const all = await Promise.all(Array.from({ length: 4 }, () => speaker.speak(asking())));
      for (const speech of all) assertSpeech(speech);
    });

    it('takes longer to say a longer text', async () => {
      const speaker = await make();
      const short = assertSpeech(await speaker.speak(asking()));
      const long = assertSpeech(await speaker.speak(asking({ text: `${request.text} `.repeat(3) })));
      assert.ok(long.seconds > 1.5 * short.seconds, `${long.seconds} s after ${short.seconds} s`);
    });

    it('returns undefined for an empty text', async () => {
      const speaker = await make();
      for (const text of ['', '   ', '…', '👍']) assert.equal(await speaker.speak(asking({ text })), undefined);
    });

    it(
      'speaks the beginning of a text that is too long, and tolerates any characters',
      async () => {
        const speaker = await make();
        assertSpeech(await speaker.speak(asking({ text: `\0${request.text} \ud800 ${request.text} `.repeat(2) })));
        const endless = assertSpeech(await speaker.speak(asking({ text: `${request.text} `.repeat(2000) })));
        assert.ok(endless.audio.length < 10 * 1024 * 1024, 'it spoke more than can be stored');
      },
      LONG_MS,
    );

    it('returns undefined, without an error, for a language that it does not speak', async () => {
      const speaker = await make();
      for (const language_code of ['tlh', 'xx-XX', '', '../x']) {
        const speech = await speaker.speak(asking({ language_code }));
        if (speech !== undefined) assertSpeech(speech);
      }
    });

    it('returns samples, if it supports them, with all words of the text in order', async () => {
      const speaker = await make();
      if (!speaker.sound) return;
      const text = ` **${request.text}** 👍 ${request.text}`;
      assertSound(await speaker.sound(asking({ text })), text);
      for (const text of ['', '…', '👍']) assert.equal(await speaker.sound(asking({ text })), undefined);
      await assertEndsSoon(speaker.sound(asking({ signal: AbortSignal.abort() })));
      await assertEndsSoon(
        speaker.sound(asking({ text: `${request.text} `.repeat(100), signal: AbortSignal.timeout(20) })),
      );
      assertSound(await speaker.sound(asking()), request.text);
    });

    it('ends soon when it is aborted, before or midway', async () => {
      const speaker = await make();
      await assertEndsSoon(speaker.speak(asking({ signal: AbortSignal.abort() })));
      await assertEndsSoon(
        speaker.speak(asking({ text: `${request.text} `.repeat(200), signal: AbortSignal.timeout(20) })),
      );
      assertSpeech(await speaker.speak(asking()));
    });
  });
}

function assertSpeech(speech: Speech | undefined): Speech {
  assert.ok(speech, 'there was no speech');
  const { audio, content_type, seconds, phonemes } = speech;
  assert.equal(content_type, 'audio/mpeg');
  assert.ok(seconds > 0.2, `it lasted ${seconds} s`);
  const isMp3 =
    (audio[0] === 0xff && (audio[1]! & 0xe6) === 0xe2) || Buffer.from(audio.subarray(0, 3)).equals(Buffer.from('ID3'));
  assert.ok(isMp3, 'it was no MP3');
  assert.ok(
    phonemes.every(({ phoneme }) => phoneme !== ''),
    'a phoneme was empty',
  );
  assertInOrder(phonemes, seconds + 0.1);
  return speech;
}

function assertSound(sound: SpeechSamples | undefined, text: string): void {
  assert.ok(sound, 'there was no sound');
  const { samples, phonemes, words } = sound;
  // Not by its class: test runners may have their own.
  assert.equal(Object.prototype.toString.call(samples), '[object Int16Array]');
  const seconds = samples.length / LIVE_RATE;
  assert.ok(seconds > 0.2, `it lasted ${seconds} s`);
  assertInOrder(phonemes, seconds);
  assert.equal(words.map((word) => word.text).join(''), text);
  assertInOrder(
    words.filter(({ start, end }) => start !== end),
    seconds,
  );
}

function assertInOrder(times: readonly { start: number; end: number }[], seconds: number): void {
  let last = 0;
  for (const { start, end } of times) {
    assert.ok(start >= last - 0.001 && end > start && end <= seconds + 0.001, 'the times were out of order');
    last = end;
  }
}
