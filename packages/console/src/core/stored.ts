/** What this tab remembers until it is closed. Nothing is kept elsewhere. */
const NAMES = ['key', 'name', 'project'] as const;
type Name = (typeof NAMES)[number];

const itemOf = (name: Name) => `avatar-chat-console-${name}`;

export function stored(name: Name): string | undefined {
  return sessionStorage.getItem(itemOf(name)) ?? undefined;
}

export function store(name: Name, value: string): void {
  sessionStorage.setItem(itemOf(name), value);
}

export function forgetAll(): void {
  for (const name of NAMES) sessionStorage.removeItem(itemOf(name));
}
