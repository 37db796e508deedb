/** What this browser has kept by this name, where it may keep things. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`avatar-chat-${name}`);
  } catch {
    return null;
  }
}

/** For the next visit; where the browser may not, for this page only. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`avatar-chat-${name}`, value);
  } catch {
    // Then not.
  }
}
