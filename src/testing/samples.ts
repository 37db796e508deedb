import { randomBytes } from 'node:crypto';
import { Owner } from '../auth/index.js';
import type { Turn } from '../chat/index.js';

/** A unique user. */
export function aUser(): string {
  return `user-${randomBytes(6).toString('hex')}`;
}

/** A unique project identifier. */
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
