import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  EspeakSpeaker,
  MoonshineTranscriber,
  NoSpeaker,
  NoTranscriber,
  OpenAiSpeaker,
  OpenAiTranscriber,
  PiperSpeaker,
  SherpaTranscriber,
  Speaker,
  Transcriber,
} from 'avatar-chat-models';
import { KindRegistry } from '../platform/extension-points/index.js';

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
