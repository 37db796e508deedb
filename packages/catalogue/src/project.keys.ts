import { randomBytes } from 'node:crypto';

/** Generates a project key. */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Generates a project epoch. */
export function newEpoch(): string {
  return randomBytes(9).toString('base64url');
}
