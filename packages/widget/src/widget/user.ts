import { keep, kept } from './kept.js';

/** Who the user of this browser is to the service: an identifier made at the first visit, and kept where that may be. */
export function userId(): string {
  const id = kept('user');
  return id && /^[\w-]{1,128}$/.test(id) ? id : newUser();
}

/** Somebody else from now on. */
export function newUser(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const id = `web-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  keep('user', id);
  return id;
}
