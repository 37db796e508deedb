import { Module } from '@nestjs/common';
import { OpenAiServers } from './openai.servers.js';
import { OutgoingHttp } from './outgoing.http.js';

/** Calls of servers that operators name. */
@Module({ providers: [OutgoingHttp, OpenAiServers], exports: [OutgoingHttp, OpenAiServers] })
export class OutgoingModule {}
