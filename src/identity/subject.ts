import { hash } from 'node:crypto';

const USER_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** Names with this prefix are hashed as well, so that nobody can choose a name that equals another's hash. */
const HASHED = /^x-[A-Za-z0-9_-]{43}$/;

/** The `user_id` of a subject: the subject itself if it is valid, otherwise `x-` and the base64url of its SHA-256. */
export function userIdOf(subject: string): string {
  if (USER_ID.test(subject) && !HASHED.test(subject)) return subject;
  return `x-${hash('sha256', subject, 'base64url')}`;
}
