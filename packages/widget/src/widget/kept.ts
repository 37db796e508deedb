const PREFIX = 'avatar-chat-';

/** What the browser does not keep: a private window, a frame whose storage is refused, or no room left. It lasts as long as the page. */
const here = new Map<string, string>();

/** What this browser has kept by this name. */
export function kept(name: string): string | null {
  // Where it could not be kept, what was kept before it is outdated.
  const value = here.get(name);
  if (value !== undefined) return value;
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** For the next visit; where the browser may not, for this page only. */
export function keep(name: string, value: string | undefined): void {
  here.delete(name);
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    if (value !== undefined) here.set(name, value);
  }
}
