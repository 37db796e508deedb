import { Injectable } from '@nestjs/common';
import { Speaker, type Speech, type SpeechEntry, Transcriber, type TranscribeRequest } from '../../src/index.js';

const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);
/** 50 ms of MP3. */
export const FRAMES = Buffer.concat([FRAME, FRAME]);

/** Speaks everything as 50 ms of silence. */
@Injectable()
export class StudioSpeaker extends Speaker {
  readonly kind = 'studio';
  validate = ({ door }: SpeechEntry) => (door === 'open' ? ['door: must be closed'] : []);
  async speak(): Promise<Speech> {
    return { audio: FRAMES, content_type: 'audio/mpeg', seconds: 0.05, phonemes: [] };
  }
}

/** Returns the same transcript for every recording. */
@Injectable()
export class FixedTranscriber extends Transcriber {
  readonly kind = 'fixed';
  validate = () => [];
  async transcribe({ audio }: TranscribeRequest): Promise<string> {
    audio.resume();
    return 'What was dictated';
  }
}
