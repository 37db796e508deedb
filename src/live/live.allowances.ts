import { Injectable } from '@nestjs/common';
import { Allowances } from 'avatar-chat-runtime';

/** Bytes of messages and answers, at once and per second. */
const MESSAGE_BURST = 8 * 1024 * 1024;
const MESSAGE_RATE = 2 * 1024 * 1024;
/** Milliseconds of audio for servers that charge for it, at once and per second. */
const AUDIO_BURST_MS = 30_000;
const AUDIO_RATE_MS = 1200;

/** What users of live sessions may cost, whatever the number of their connections. */
@Injectable()
export class LiveAllowances {
  readonly messages = new Allowances(MESSAGE_BURST, MESSAGE_RATE);
  readonly hostedAudio = new Allowances(AUDIO_BURST_MS, AUDIO_RATE_MS);
}
