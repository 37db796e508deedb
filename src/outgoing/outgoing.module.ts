import { Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing.http.js';

/** Calls of servers that operators name. */
@Module({ providers: [OutgoingHttp], exports: [OutgoingHttp] })
export class OutgoingModule {}
