import { Module } from '@nestjs/common';
import { OutgoingModule } from '../outgoing/index.js';
import { OpenAiServers } from './openai.servers.js';

/** Calls of servers with the OpenAI API: the one client of engines, speakers and transcribers. */
@Module({ imports: [OutgoingModule], providers: [OpenAiServers], exports: [OpenAiServers] })
export class OpenAiModule {}
