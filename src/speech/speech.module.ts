import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OutgoingModule } from '../outgoing/index.js';
import { EspeakSpeaker } from './espeak.speaker.js';
import { OpenAiSpeaker } from './openai.speaker.js';
import { OpenAiTranscriber } from './openai.transcriber.js';
import { SpeechService } from './speech.service.js';

/** Answers spoken and recordings written down, by way of the {@link SpeechService}. */
@Module({
  imports: [DiscoveryModule, OutgoingModule],
  providers: [EspeakSpeaker, OpenAiSpeaker, OpenAiTranscriber, SpeechService],
  exports: [SpeechService],
})
export class SpeechModule {}
