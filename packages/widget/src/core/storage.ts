const PREFIX = 'avatar-chat-';

/** Values that the browser does not store: private window, blocked storage, or quota exceeded. They last as long as the page. */
const unstored = new Map<string, string>();

/** The stored value of a name. */
export function storedValue(name: string): string | null {
  // If the latest value could not be stored, the stored one is outdated.
  const value = unstored.get(name);
  if (value !== undefined) return value;
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Stores a value for the next visit, or if that is not allowed, for this page only. */
export function storeValue(name: string, value: string | undefined): void {
  unstored.delete(name);
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    if (value !== undefined) unstored.set(name, value);
  }
}
