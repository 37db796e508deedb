import { randomBytes } from 'node:crypto';

/** A key for a project. */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** An epoch for a project. */
export function newEpoch(): string {
  return randomBytes(9).toString('base64url');
}
