import type { TurnDetection } from './transcription.stream.js';
import { DecodeQueue } from '../decode.queue.js';
import type { TurnModel } from '../turns/turn.judge.js';
import { SpeechStream, type SpeechEvent } from './speech.stream.js';

const DETECTION: TurnDetection = { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 };

/**
 * A stream that treats everything except silence as speech, and whose transcript is the levels of the audio, in tenths, as words.
 */
function listen(
  detection: TurnDetection | undefined,
  { isSoundWanted = false, from = 0, words = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] } = {},
  judgements: (number | undefined)[] = [],
) {
  const heard: SpeechEvent[] = [];
  const lengths: number[] = [];
  const judged: number[] = [];
  const decodes = new DecodeQueue(
    async (samples) => {
      lengths.push(samples.length / 16);
      const levels: number[] = [];
      for (let n = 0; n < samples.length; n += 64) {
        const level = Math.round(10 * samples[n]!);
        if (level > 0 && level !== levels.at(-1)) levels.push(level);
      }
      return levels.map((level) => words[level]).join(' ');
    },
    () => 0,
  );
  const parts = {
    resample: (samples: Float32Array) => samples.filter((_, n) => n % 3 < 2),
    isSpeech: (frame: Float32Array) => frame.some((sample) => sample > 0.01),
    judge: async (_: TurnModel, sound: Float32Array) => {
      judged.push(sound.length / 16);
      return judgements.shift();
    },
    ...(isSoundWanted ? {} : { decodes: decodes.sharedBy('somebody') }),
  };
  const stream = new SpeechStream(parts, detection, from, 1, (event) => heard.push(event));
  let at = from;
  /** Stretches of audio with a level in tenths and a length in milliseconds, in chunks of 60 ms. */
  const push = async (...stretches: [ms: number, level: number][]) => {
    for (const [ms, level] of stretches)
      for (let left = ms; left > 0; left -= 60) {
        const samples = new Int16Array(24 * Math.min(60, left)).fill(3276.8 * level);
        stream.push(samples, at);
        at += samples.length;
        for (let n = 0; n < 10; n++) await Promise.resolve();
      }
  };
  const of = (event: SpeechEvent['event']) => heard.filter((one) => one.event === event);
  return { stream, push, heard, of, lengths, judged, skip: (ms: number) => (at += 24 * ms) };
}

const finals = (of: (event: 'final') => SpeechEvent[]) =>
  of('final').map((one) => ('text' in one ? one.text : undefined));

describe('SpeechStream', () => {
  it('detects turns, each with its transcript as soon as it is complete', async () => {
    const { push, heard, of } = listen(DETECTION);
    await push([900, 0], [1200, 1], [900, 0], [600, 2], [300, 0], [600, 3], [900, 0]);
    expect(heard.filter(({ event }) => event !== 'partial')).toEqual([
      { event: 'started', utterance: 1, at: 896 },
      { event: 'paused', utterance: 1 },
      { event: 'stopped', utterance: 1, at: expect.any(Number), committed: false },
      { event: 'final', utterance: 1, text: '1' },
      { event: 'started', utterance: 2, at: 2976 },
      { event: 'paused', utterance: 2 },
      { event: 'resumed', utterance: 2 },
      { event: 'paused', utterance: 2 },
      { event: 'stopped', utterance: 2, at: expect.any(Number), committed: false },
      { event: 'final', utterance: 2, text: '2 3' },
    ]);
    expect(of('partial').at(-1)).toEqual({ event: 'partial', utterance: 2, text: '2 3' });
    const ends = of('stopped').map((one) => ('at' in one ? one.at : 0));
    expect(Math.abs(ends[0]! - 2600)).toBeLessThan(50);
    expect(Math.abs(ends[1]! - 5000)).toBeLessThan(50);
  });

  it('transcribes during the pause, and again only if more is said', async () => {
    const { push, lengths, of } = listen(DETECTION);
    await push([300, 0], [600, 1], [240, 0]);
    const before = lengths.length;
    await push([600, 0]);
    expect(finals(of)).toEqual(['1']);
    expect(lengths).toHaveLength(before);
  });

  it('splits long speech at pauses, or anywhere if there are none', async () => {
    const { push, lengths, of } = listen(DETECTION);
    await push([300, 0], [4000, 1], [300, 0], [4000, 2], [300, 0], [1000, 3], [900, 0]);
    expect(finals(of)).toEqual(['1 2 3']);
    expect(Math.max(...lengths)).toBeLessThan(5000);
    await push([15_000, 4], [900, 0]);
    expect(finals(of)[1]).toBe('4 4');
    expect(Math.max(...lengths)).toBeLessThan(12_500);
  });

  it('ends an utterance that is too long, and continues with the next', async () => {
    const { push, of } = listen(DETECTION);
    await push([63_000, 1], [900, 0]);
    expect(of('stopped').map((one) => 'at' in one && Math.round(one.at / 100))).toEqual([600, 635]);
    expect(of('final')).toHaveLength(2);
  });

  it('ends the utterance at once when it is committed', async () => {
    const { stream, push, of } = listen(DETECTION);
    await push([300, 0], [900, 1]);
    stream.commit();
    await push([900, 0]);
    expect(of('stopped')).toEqual([{ event: 'stopped', utterance: 1, at: expect.any(Number), committed: true }]);
    expect(finals(of)).toEqual(['1']);
  });

  it('ends no turn by itself in manual mode, however long the pauses', async () => {
    const { stream, push, heard, of } = listen(undefined);
    stream.commit();
    await push([2000, 0]);
    stream.commit();
    await push([600, 1], [9000, 0], [600, 2], [4000, 0], [32, 9], [1000, 0]);
    expect(of('started')).toEqual([]);
    stream.commit();
    await push([60, 0]);
    expect(heard.map(({ event, utterance }) => `${event} ${utterance}`)).toEqual(
      ['1', '2', '3'].flatMap((n) => [`stopped ${n}`, `final ${n}`]),
    );
    expect(finals(of)).toEqual(['', '', '1 2']);
  });

  it('discards what is not complete', async () => {
    const { stream, push, of } = listen(DETECTION);
    await push([300, 0], [900, 1]);
    stream.clear();
    await push([900, 0], [900, 2], [900, 0]);
    expect(of('stopped').map(({ utterance }) => utterance)).toEqual([2]);
    expect(finals(of)).toEqual(['2']);
  });

  it('continues the utterance in progress when the turn detection changes', async () => {
    const { stream, push, of } = listen(undefined);
    await push([900, 1]);
    stream.configure(DETECTION);
    await push([300, 1], [900, 0]);
    expect(of('started')).toHaveLength(1);
    await push([900, 2]);
    stream.configure(undefined);
    await push([3000, 0]);
    expect(finals(of)).toEqual(['1']);
    stream.commit();
    await push([60, 0]);
    expect(finals(of)).toEqual(['1', '2']);
  });

  it('counts dropped samples', async () => {
    const { push, skip, of } = listen(DETECTION, { from: 24_000 });
    await push([960, 0]);
    skip(5000);
    await push([640, 1]);
    expect(of('started')).toEqual([{ event: 'started', utterance: 1, at: 6960 }]);
  });

  it('returns the audio of the speech, without the silence, up to a minute', async () => {
    const { stream, push, of } = listen(undefined, { isSoundWanted: true });
    await push([600, 1], [9000, 0], [600, 2]);
    stream.commit();
    await push([70_000, 1]);
    stream.commit();
    await push([60, 0]);
    const [short, long] = of('final').map((one) => ('sound' in one ? one.sound.length / 16 : 0));
    expect(short).toBeGreaterThan(1200);
    expect(short).toBeLessThan(2500);
    expect(long).toBe(60_000);
  });

  describe('by meaning', () => {
    const BY_MEANING = {
      ...DETECTION,
      meaning: { model: 'm', runtime: 'r', certainty: 0.8, limit_ms: 2000, language_code: 'en-US' },
    };
    const LONGER = { ...BY_MEANING, meaning: { ...BY_MEANING.meaning, limit_ms: 3000 } };
    const words = ['', 'please', 'enter', 'it', 'the', 'number', 'for', 'me', 'nine'];
    const ends = (of: ReturnType<typeof listen>['of']) => of('stopped').map((one) => ('at' in one ? one.at : 0));

    it('ends a turn at once that is complete, and judges its last 8 s', async () => {
      const { push, of, judged } = listen(BY_MEANING, { words }, [0.9, 0.9]);
      await push([500, 0], [1000, 1], [900, 0], [12_000, 2], [900, 0]);
      expect(ends(of)).toHaveLength(2);
      expect(ends(of)[0]).toBeLessThan(1500 + 300);
      expect(judged).toEqual([expect.any(Number), 8000]);
      expect(judged[0]).toBeLessThan(1600);
    });

    it('waits for the rest of a turn that is not complete, up to the limit', async () => {
      const { push, of } = listen(BY_MEANING, { words }, [0.1, 0.2]);
      await push([500, 0], [1000, 1], [1500, 0], [1000, 2], [2500, 0]);
      expect(finals(of)).toEqual(['please enter']);
      expect(ends(of)[0]).toBeGreaterThan(4000 + 1900);
      expect(ends(of)[0]).toBeLessThan(4000 + 2100);
    });

    it('waits the shorter, the likelier it is that a turn is complete', async () => {
      const { push, of } = listen(BY_MEANING, { words }, [0.65, 0.65, 0.1]);
      await push([500, 0], [1000, 1], [1500, 0], [1000, 2], [600, 0], [1000, 3], [2500, 0]);
      expect(finals(of)).toEqual(['please', 'enter it']);
      expect(Math.abs(ends(of)[0]! - 2500)).toBeLessThan(50);
      expect(Math.abs(ends(of)[1]! - 7600)).toBeLessThan(50);
    });

    it('judges before the pause in which a turn may end, and again after what is said then', async () => {
      const { push, of, judged } = listen(BY_MEANING, { words }, [0.9, 0.1]);
      await push([480, 0], [960, 1], [120, 0]);
      expect([judged.length, of('paused').length]).toEqual([1, 0]);
      await push([960, 2], [1200, 0]);
      expect([judged.length, of('paused').length, of('stopped').length]).toEqual([2, 1, 0]);
    });

    it.each([
      ['an article, up to the limit', 4, 3000],
      ['a preposition, for a while', 6, 2000],
      ['a digit, for a while', 8, 1200],
    ])('waits for the rest of a turn whose last word is %s', async (_, level, silence) => {
      const { push, of } = listen(LONGER, { words }, [0.9, 0.9, 0.75]);
      await push([480, 0], [960, 2], [960, level], [960, 0], [960, 5], [600, 0]);
      expect(finals(of)).toEqual([`enter ${words[level]} number`]);
      await push([480, 0], [960, level], [3600, 0]);
      expect(finals(of)).toEqual([expect.any(String), words[level]]);
      const begun = of('started').map((one) => ('at' in one ? one.at : 0));
      expect(Math.abs(ends(of)[1]! - begun[1]! - 960 - silence)).toBeLessThan(100);
    });

    it('ends turns by silence if they cannot be judged', async () => {
      const { push, of } = listen(BY_MEANING, { words }, [undefined]);
      await push([500, 0], [1000, 1], [900, 0]);
      expect(ends(of)).toHaveLength(1);
      expect(ends(of)[0]).toBeGreaterThan(1500 + 400);
    });
  });
});
