import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OpenAiModule } from '../openai/index.js';
import { EspeakSpeaker } from './espeak.speaker.js';
import { OpenAiSpeaker } from './openai.speaker.js';
import { OpenAiTranscriber } from './openai.transcriber.js';
import { SpeakerRegistry, TranscriberRegistry } from './speech.registries.js';
import { SpeechService } from './speech.service.js';

/** Answers spoken and recordings written down, by way of the {@link SpeechService}. */
@Module({
  imports: [DiscoveryModule, OpenAiModule],
  providers: [EspeakSpeaker, OpenAiSpeaker, OpenAiTranscriber, SpeakerRegistry, TranscriberRegistry, SpeechService],
  exports: [SpeechService],
})
export class SpeechModule {}
