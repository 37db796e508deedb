import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ModelsModule } from './models/index.js';
import { ModelStore } from 'avatar-chat-model-files';
import {
  EspeakSpeaker,
  MoonshineTranscriber,
  OpenAiServers,
  OpenAiSpeaker,
  OpenAiTranscriber,
  PiperSpeaker,
  Recognition,
  SherpaTranscriber,
  TranscriptionStreams,
} from 'avatar-chat-models';
import { OpenAiModule } from '../openai/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { provideClass } from '../platform/extension-points/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { SpeakerRegistry, TranscriberRegistry } from './speech.registries.js';
import { SpeechService } from './speech.service.js';

/** Speaks answers and transcribes recordings, through the {@link SpeechService}. */
@Module({
  imports: [DiscoveryModule, ModelsModule, OpenAiModule],
  providers: [
    provideClass(EspeakSpeaker, [], loggerOf),
    provideClass(PiperSpeaker, [Config, Clock, EspeakSpeaker], loggerOf),
    provideClass(OpenAiSpeaker, [OpenAiServers]),
    provideClass(OpenAiTranscriber, [OpenAiServers]),
    provideClass(Recognition, [Clock], loggerOf),
    provideClass(TranscriptionStreams, [ModelStore, Recognition], loggerOf),
    provideClass(MoonshineTranscriber, [ModelStore, Recognition]),
    provideClass(SherpaTranscriber, [ModelStore, Recognition]),
    SpeakerRegistry,
    TranscriberRegistry,
    SpeechService,
  ],
  exports: [SpeechService],
})
export class SpeechModule {}
