/** What this tab remembers until it is closed. Nothing is kept elsewhere. */
const NAMES = ['key', 'name', 'project'] as const;
type Name = (typeof NAMES)[number];

const itemOf = (name: Name) => `avatar-chat-console-${name}`;

let items: Record<string, string> = {};
try {
  items = sessionStorage;
} catch {
  // The browser blocks storage: they last as long as the page.
}

export function stored(name: Name): string | undefined {
  return items[itemOf(name)];
}

export function store(name: Name, value: string): void {
  items[itemOf(name)] = value;
}

export function forgetAll(): void {
  for (const name of NAMES) delete items[itemOf(name)];
}
