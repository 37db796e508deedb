import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KindRegistry } from '../platform/extension-points/index.js';
import { EspeakSpeaker } from './espeak/espeak.speaker.js';
import { OpenAiSpeaker } from './openai/openai.speaker.js';
import { OpenAiTranscriber } from './openai/openai.transcriber.js';
import { MoonshineTranscriber, SherpaTranscriber } from './recognition/index.js';
import { PiperSpeaker } from './piper/piper.speaker.js';
import { Speaker } from './speaker.js';
import { NoSpeaker, NoTranscriber } from './speech.none.js';
import { Transcriber } from './transcriber.js';

/** Every {@link Speaker} by kind. */
@Injectable()
export class SpeakerRegistry extends KindRegistry<Speaker> {
  constructor(discovery: DiscoveryService, espeak: EspeakSpeaker, piper: PiperSpeaker, openAi: OpenAiSpeaker) {
    super(discovery, 'speaker', Speaker, [espeak, piper, openAi, new NoSpeaker()]);
  }
}

/** Every {@link Transcriber} by kind. */
@Injectable()
export class TranscriberRegistry extends KindRegistry<Transcriber> {
  constructor(
    discovery: DiscoveryService,
    moonshine: MoonshineTranscriber,
    sherpa: SherpaTranscriber,
    openAi: OpenAiTranscriber,
  ) {
    super(discovery, 'transcriber', Transcriber, [moonshine, sherpa, openAi, new NoTranscriber()]);
  }
}
