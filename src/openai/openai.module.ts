import { Module } from '@nestjs/common';
import { OutgoingModule } from '../platform/outgoing-http/index.js';
import { OpenAiRealtime } from './openai.realtime.js';
import { OpenAiServers } from './openai.servers.js';

/** Calls to servers with the OpenAI API: the shared client of engines, speakers and transcribers. */
@Module({
  imports: [OutgoingModule],
  providers: [OpenAiRealtime, OpenAiServers],
  exports: [OpenAiRealtime, OpenAiServers],
})
export class OpenAiModule {}
