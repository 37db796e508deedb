import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ModelsModule } from './models/index.js';
import { OpenAiModule } from '../openai/index.js';
import { EspeakSpeaker } from './espeak/espeak.speaker.js';
import { OpenAiSpeaker } from './openai/openai.speaker.js';
import { OpenAiTranscriber } from './openai/openai.transcriber.js';
import { TranscriptionStreams, MoonshineTranscriber, Recognition, SherpaTranscriber } from './recognition/index.js';
import { PiperSpeaker } from './piper/piper.speaker.js';
import { SpeakerRegistry, TranscriberRegistry } from './speech.registries.js';
import { SpeechService } from './speech.service.js';

/** Speaks answers and transcribes recordings, through the {@link SpeechService}. */
@Module({
  imports: [DiscoveryModule, ModelsModule, OpenAiModule],
  providers: [
    EspeakSpeaker,
    PiperSpeaker,
    OpenAiSpeaker,
    OpenAiTranscriber,
    Recognition,
    TranscriptionStreams,
    MoonshineTranscriber,
    SherpaTranscriber,
    SpeakerRegistry,
    TranscriberRegistry,
    SpeechService,
  ],
  exports: [SpeechService],
})
export class SpeechModule {}
