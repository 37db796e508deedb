import { Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing.http.js';

/** Calls to servers that operators configure. */
@Module({ providers: [OutgoingHttp], exports: [OutgoingHttp] })
export class OutgoingModule {}
