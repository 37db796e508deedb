import { randomBytes } from 'node:crypto';
import type { Turn } from '../../src/index.js';
import { Owner } from '../../src/index.js';

/** A user that no other test has. */
export function aUser(): string {
  return `user-${randomBytes(6).toString('hex')}`;
}

/** A project identifier that no other test has. */
export function aProject(): string {
  return `project-${randomBytes(6).toString('hex')}`;
}

export function anOwner(owner: Partial<Owner> = {}): Owner {
  return new Owner(owner.project_id ?? 'default', owner.user_id ?? aUser());
}

/** A turn to record. */
export function aTurn(turn: Partial<Turn> = {}): Turn {
  return {
    owner: anOwner(),
    avatar_id: 'ada',
    avatar_name: 'Ada',
    request: 'How far is the moon?',
    answer: 'About 384,400 km.',
    chat_type: 'text',
    language_code: 'en',
    ...turn,
  };
}

/** A second of a tone, as WAV: 16 bit, mono, 8 kHz. */
export function aRecording(seconds = 1): Buffer {
  const samples = Math.round(8000 * seconds);
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8000, 24);
  wav.writeUInt32LE(16_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
  for (let n = 0; n < samples; n++) wav.writeInt16LE(Math.round(8000 * Math.sin(n / 5)), 44 + n * 2);
  return wav;
}
