import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EspeakSpeaker } from './espeak.speaker.js';
import { OpenAiSpeaker } from './openai.speaker.js';
import { OpenAiTranscriber } from './openai.transcriber.js';
import { SpeechService } from './speech.service.js';

/** Answers spoken and recordings written down, by way of the {@link SpeechService}. */
@Module({
  imports: [DiscoveryModule],
  providers: [EspeakSpeaker, OpenAiSpeaker, OpenAiTranscriber, SpeechService],
  exports: [SpeechService],
})
export class SpeechModule {}
