import { Readable } from 'node:stream';
import { Injectable, Logger, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Config, ConfigModule } from '../platform/config/index.js';
import { type SpeechSamples, type TranscriptionEvent, SpeechError, type Speech } from 'avatar-chat-media';
import { Speaker, type SpeakRequest, type SpeechEntry, Transcriber } from 'avatar-chat-models';
import { SpeechModule, SpeechService } from './index.js';

const SPEECH: Speech = { audio: new Uint8Array(3), content_type: 'audio/mpeg', seconds: 1, phonemes: [] };

@Injectable()
class StudioSpeaker extends Speaker {
  readonly kind: string = 'studio';
  validate = ({ door }: SpeechEntry) => (door === 'open' ? ['door: must be closed'] : []);
  async speak({ text }: SpeakRequest): Promise<Speech> {
    if (text === 'wrong') throw new Error('you said: secret');
    if (text === 'failing') throw new SpeechError('The studio is closed.');
    if (text === 'hanging') await new Promise(() => undefined);
    return { ...SPEECH, seconds: text.length };
  }
}
@Injectable()
class OtherEspeak extends StudioSpeaker {
  override readonly kind = 'espeak';
}
@Injectable()
class LiveSpeaker extends StudioSpeaker {
  override readonly kind = 'live';
  override async sound({ text }: SpeakRequest): Promise<SpeechSamples> {
    if (text === 'wrong') throw new Error('you said: secret');
    if (text === 'hanging') await new Promise(() => undefined);
    return { samples: new Int16Array(10), phonemes: [], words: [{ text, start: 0, end: 0 }] };
  }
}
@Injectable()
class FixedTranscriber extends Transcriber {
  readonly kind = 'fixed';
  validate = () => [];
  async transcribe({ language_code }: { language_code: string }): Promise<string | undefined> {
    if (language_code === 'xx') throw new Error('you said: secret');
    if (language_code === 'zz') await new Promise(() => undefined);
    return 'hello';
  }
}

async function make(...providers: Type[]): Promise<SpeechService> {
  @Module({ providers })
  class TeamModule {}
  const testing = await Test.createTestingModule({ imports: [ConfigModule, SpeechModule, TeamModule] })
    .overrideProvider(Config)
    .useValue(new Config({ modelsDir: '/there/is/none' }))
    .compile();
  await testing.init();
  return testing.get(SpeechService);
}

const request = (text = 'hi') => ({ text, language_code: 'en', signal: new AbortController().signal });
const recording = (language_code = 'en') => ({
  audio: Readable.from([Buffer.from('RIFF')]),
  content_type: 'audio/wav',
  language_code,
  holders: ['somebody'],
  signal: new AbortController().signal,
});

describe('SpeechService', () => {
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => void warnings.push(String(message)));
  });
  afterEach(() => jest.restoreAllMocks());

  it('speaks with the kind that the project names', async () => {
    const speech = await make(StudioSpeaker);
    expect(await speech.speak({ speaker: { kind: 'studio' } }, request())).toMatchObject({ seconds: 2 });
    expect(await speech.speak({ speaker: { kind: 'none' } }, request())).toBeUndefined();
  });

  it("speaks with espeak by default, or with a module's replacement of it", async () => {
    const speech = await make(OtherEspeak);
    expect(await speech.speak(undefined, request('four'))).toMatchObject({ seconds: 4 });
    expect(await speech.speak({}, request('four'))).toMatchObject({ seconds: 4 });
  });

  it('continues without audio if speech fails, and logs only its own messages', async () => {
    const speech = await make(StudioSpeaker);
    const settings = { speaker: { kind: 'studio' } };
    expect(await speech.speak(settings, request('wrong'))).toBeUndefined();
    expect(await speech.speak(settings, request('failing'))).toBeUndefined();
    expect(await speech.speak({ speaker: { kind: 'gone' } }, request())).toBeUndefined();
    expect(warnings).toEqual([
      'An answer was not spoken: Error',
      'An answer was not spoken: The studio is closed.',
      'An answer was not spoken: The project has a kind of speech that this service does not know.',
    ]);
  });

  it('returns samples from any speaker, or reports why not', async () => {
    const speech = await make(LiveSpeaker, StudioSpeaker);
    const live = { speaker: { kind: 'live' } };
    expect(await speech.sound(live, request('four'))).toMatchObject({ words: [{ text: 'four' }] });
    expect(await speech.sound({ speaker: { kind: 'none' } }, request())).toBeUndefined();
    await expect(speech.sound(live, request('wrong'))).rejects.toEqual(new SpeechError());
    await expect(speech.sound({ speaker: { kind: 'gone' } }, request())).rejects.toBeInstanceOf(SpeechError);
    expect(await speech.sound(live, { ...request('wrong'), signal: AbortSignal.abort() })).toBeUndefined();
    expect(warnings).toEqual([
      'A sentence was not spoken: Error',
      'A sentence was not spoken: The project has a kind of speech that this service does not know.',
    ]);
  });

  it('cannot decode anything but MP3', async () => {
    const speech = await make(StudioSpeaker);
    await expect(speech.sound({ speaker: { kind: 'studio' } }, request())).rejects.toThrow(
      'The speech cannot be decoded.',
    );
  });

  it('logs nothing about an answer that nobody waits for', async () => {
    const speech = await make(StudioSpeaker);
    await speech.speak({ speaker: { kind: 'studio' } }, { ...request('wrong'), signal: AbortSignal.abort() });
    expect(warnings).toEqual([]);
  });

  it('transcribes with the kind that the project names, or not at all, and releases the recording', async () => {
    const speech = await make(FixedTranscriber);
    const given = recording();
    expect(await speech.transcribe({ transcriber: { kind: 'fixed' } }, given)).toBe('hello');
    expect(given.audio.destroyed).toBe(true);
    for (const settings of [undefined, {}, { transcriber: { kind: 'none' } }]) {
      const unheard = recording();
      expect(await speech.transcribe(settings, unheard)).toBeUndefined();
      expect(unheard.audio.destroyed).toBe(true);
    }
  });

  it('fails with its own error if a transcriber fails', async () => {
    const speech = await make(FixedTranscriber);
    const given = recording('xx');
    await expect(speech.transcribe({ transcriber: { kind: 'fixed' } }, given)).rejects.toThrow(
      new SpeechError('The speech could not be processed.'),
    );
    await expect(speech.transcribe({ transcriber: { kind: 'gone' } }, recording())).rejects.toBeInstanceOf(SpeechError);
    expect(given.audio.destroyed).toBe(true);
    expect(warnings.join()).not.toContain('secret');
  });

  it('does not wait for a speaker or a transcriber that ignores its signal', async () => {
    const speech = await make(StudioSpeaker, LiveSpeaker, FixedTranscriber);
    for (const signal of [AbortSignal.abort(), AbortSignal.timeout(20)]) {
      const hanging = { ...request('hanging'), signal };
      expect(await speech.speak({ speaker: { kind: 'studio' } }, hanging)).toBeUndefined();
      expect(await speech.sound({ speaker: { kind: 'studio' } }, hanging)).toBeUndefined();
      expect(await speech.sound({ speaker: { kind: 'live' } }, hanging)).toBeUndefined();
    }
    for (const signal of [AbortSignal.abort(), AbortSignal.timeout(20)]) {
      const given = { ...recording('zz'), signal };
      await expect(speech.transcribe({ transcriber: { kind: 'fixed' } }, given)).rejects.toThrow(SpeechError);
      expect(given.audio.destroyed).toBe(true);
    }
    expect(warnings).toEqual([]);
  });

  it('waits for a sentence for half a minute', async () => {
    const speech = await make(StudioSpeaker, LiveSpeaker);
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const settled: unknown[] = [];
      for (const kind of ['studio', 'live'])
        void speech.sound({ speaker: { kind } }, request('hanging')).catch((error: unknown) => settled.push(error));
      await jest.advanceTimersByTimeAsync(29_000);
      expect(settled).toEqual([]);
      await jest.advanceTimersByTimeAsync(1000);
      expect(settled).toEqual(Array.from({ length: 2 }, () => new SpeechError('The speech took too long.')));
      expect(warnings).toEqual(Array.from({ length: 2 }, () => 'A sentence was not spoken: The speech took too long.'));
    } finally {
      jest.useRealTimers();
    }
  });

  describe('listening live', () => {
    const listenTo = async (kind: string | undefined, language_code: string, speech: SpeechService) => {
      const heard: TranscriptionEvent[] = [];
      const settings = kind === undefined ? undefined : { transcriber: { kind } };
      const stream = await speech.listen(settings, { language_code, holders: ['somebody'] }, (event) =>
        heard.push(event),
      );
      return { stream, heard };
    };

    it('is not possible without a transcriber, its model or its language', async () => {
      const speech = await make(FixedTranscriber);
      for (const kind of [undefined, 'none', 'gone', 'moonshine'])
        expect((await listenTo(kind, 'en', speech)).stream).toBeUndefined();
      expect((await listenTo('moonshine', 'de', speech)).stream).toBeUndefined();
    });

    it('sends each utterance as a recording to any transcriber, and relies on commits without speech detection', async () => {
      const speech = await make(FixedTranscriber);
      const { stream, heard } = await listenTo('fixed', 'en', speech);
      expect(warnings.join()).toContain('speech install');
      expect(stream!.commit()).toBe(false);
      stream!.push(new Int16Array(2400));
      stream!.clear();
      expect(stream!.commit()).toBe(false);
      stream!.push(new Int16Array(2400));
      expect(stream!.commit()).toBe(true);
      stream!.configure({ language_code: 'xx' });
      stream!.push(new Int16Array(2400));
      expect(stream!.commit()).toBe(true);
      await new Promise((done) => setTimeout(done, 50));
      expect(heard).toEqual([
        { event: 'stopped', utterance: 1, at: 200 },
        { event: 'stopped', utterance: 2, at: 300 },
        { event: 'final', utterance: 1, text: 'hello' },
        { event: 'final', utterance: 2, text: undefined },
      ]);
      stream!.push(new Int16Array(2400));
      stream!.close();
      expect(stream!.commit()).toBe(false);
      expect(warnings.join()).not.toContain('secret');
    });
  });

  it('reports the faults of settings, each with its path', async () => {
    const speech = await make(StudioSpeaker, FixedTranscriber);
    expect(speech.validate({})).toEqual([]);
    expect(speech.validate({ speaker: { kind: 'none' }, transcriber: { kind: 'fixed' } })).toEqual([]);
    expect(speech.validate({ speaker: { kind: 'studio', door: 'open' }, transcriber: { kind: 'espeak' } })).toEqual([
      'speaker.door: must be closed',
      'transcriber.kind: must be one of fixed, moonshine, none, openai, sherpa',
    ]);
  });

  it('rejects two providers of one kind', async () => {
    @Injectable()
    class SecondStudio extends StudioSpeaker {}
    await expect(make(StudioSpeaker, SecondStudio)).rejects.toThrow(
      "Two providers are the speaker 'studio': StudioSpeaker, SecondStudio.",
    );
  });
});
