const KEY = 'avatar-chat-user';

/** Who the user of this browser is to the service: an identifier made at the first visit, and kept where that may be. */
export function userId(): string {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept && /^[\w-]{1,128}$/.test(kept)) return kept;
  } catch {
    return newUserId();
  }
  return newUser();
}

/** Somebody else from now on. */
export function newUser(): string {
  const id = newUserId();
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // For this page only, then.
  }
  return id;
}

function newUserId(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return `web-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
