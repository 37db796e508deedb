import { Readable } from 'node:stream';
import { Injectable, Logger, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Config, ConfigModule } from '../platform/config/index.js';
import {
  Speaker,
  type SpeakRequest,
  type Speech,
  type SpeechEntry,
  SpeechError,
  SpeechModule,
  SpeechService,
  Transcriber,
} from './index.js';

const SPEECH: Speech = { audio: new Uint8Array(3), content_type: 'audio/mpeg', seconds: 1, phonemes: [] };

@Injectable()
class StudioSpeaker extends Speaker {
  readonly kind: string = 'studio';
  validate = ({ door }: SpeechEntry) => (door === 'open' ? ['door: must be closed'] : []);
  async speak({ text }: SpeakRequest): Promise<Speech> {
    if (text === 'wrong') throw new Error('you said: secret');
    if (text === 'failing') throw new SpeechError('The studio is closed.');
    return { ...SPEECH, seconds: text.length };
  }
}
@Injectable()
class OtherEspeak extends StudioSpeaker {
  override readonly kind = 'espeak';
}
@Injectable()
class EarTranscriber extends Transcriber {
  readonly kind = 'ear';
  validate = () => [];
  async transcribe({ language_code }: { language_code: string }): Promise<string | undefined> {
    if (language_code === 'xx') throw new Error('you said: secret');
    return 'hello';
  }
}

async function make(...providers: Type[]): Promise<SpeechService> {
  @Module({ providers })
  class TeamModule {}
  const testing = await Test.createTestingModule({ imports: [ConfigModule, SpeechModule, TeamModule] })
    .overrideProvider(Config)
    .useValue(new Config({}))
    .compile();
  await testing.init();
  return testing.get(SpeechService);
}

const request = (text = 'hi') => ({ text, language_code: 'en', signal: new AbortController().signal });
const recording = (language_code = 'en') => ({
  audio: Readable.from([Buffer.from('RIFF')]),
  content_type: 'audio/wav',
  language_code,
  signal: new AbortController().signal,
});

describe('SpeechService', () => {
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => void warnings.push(String(message)));
  });
  afterEach(() => jest.restoreAllMocks());

  it('speaks by the kind that the project names', async () => {
    const speech = await make(StudioSpeaker);
    expect(await speech.speak({ speaker: { kind: 'studio' } }, request())).toMatchObject({ seconds: 2 });
    expect(await speech.speak({ speaker: { kind: 'none' } }, request())).toBeUndefined();
  });

  it('speaks by espeak where the project names none, or by what a module puts in its place', async () => {
    const speech = await make(OtherEspeak);
    expect(await speech.speak(undefined, request('four'))).toMatchObject({ seconds: 4 });
    expect(await speech.speak({}, request('four'))).toMatchObject({ seconds: 4 });
  });

  it('goes without sound where speech fails, and logs no words but its own', async () => {
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

  it('is quiet about an answer that nobody waits for', async () => {
    const speech = await make(StudioSpeaker);
    await speech.speak({ speaker: { kind: 'studio' } }, { ...request('wrong'), signal: AbortSignal.abort() });
    expect(warnings).toEqual([]);
  });

  it('writes down by the kind that the project names, or not at all, and lets go of the recording', async () => {
    const speech = await make(EarTranscriber);
    const given = recording();
    expect(await speech.transcribe({ transcriber: { kind: 'ear' } }, given)).toBe('hello');
    expect(given.audio.destroyed).toBe(true);
    for (const settings of [undefined, {}, { transcriber: { kind: 'none' } }]) {
      const unheard = recording();
      expect(await speech.transcribe(settings, unheard)).toBeUndefined();
      expect(unheard.audio.destroyed).toBe(true);
    }
  });

  it('fails with an error of its own where a transcriber fails', async () => {
    const speech = await make(EarTranscriber);
    const given = recording('xx');
    await expect(speech.transcribe({ transcriber: { kind: 'ear' } }, given)).rejects.toThrow(
      new SpeechError('The speech could not be processed.'),
    );
    await expect(speech.transcribe({ transcriber: { kind: 'gone' } }, recording())).rejects.toBeInstanceOf(SpeechError);
    expect(given.audio.destroyed).toBe(true);
    expect(warnings.join()).not.toContain('secret');
  });

  it('finds the faults of settings, each with its place', async () => {
    const speech = await make(StudioSpeaker, EarTranscriber);
    expect(speech.validate({})).toEqual([]);
    expect(speech.validate({ speaker: { kind: 'none' }, transcriber: { kind: 'ear' } })).toEqual([]);
    expect(speech.validate({ speaker: { kind: 'studio', door: 'open' }, transcriber: { kind: 'espeak' } })).toEqual([
      'speaker.door: must be closed',
      'transcriber.kind: must be one of ear, moonshine, none, openai, sherpa',
    ]);
  });

  it('refuses two of one kind', async () => {
    @Injectable()
    class SecondStudio extends StudioSpeaker {}
    await expect(make(StudioSpeaker, SecondStudio)).rejects.toThrow(
      "Two providers are the speaker 'studio': StudioSpeaker, SecondStudio.",
    );
  });
});
