import { storeValue, storedValue } from './storage.js';

/** The user id of this browser: generated at the first visit, and stored if the browser allows it. */
export function userId(): string {
  const id = storedValue('user');
  return id && /^[\w-]{1,128}$/.test(id) ? id : newUser();
}

/** Switches to a new user. */
export function newUser(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const id = `web-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  storeValue('user', id);
  return id;
}
