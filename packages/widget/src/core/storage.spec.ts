import { storeValue, storedValue } from './storage.js';

const stored = new Map<string, string>();
/** Called when `localStorage` is asked to store something. */
let refuse: (() => void) | undefined;

beforeAll(() => {
  const localStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem(name: string, value: string) {
      refuse?.();
      stored.set(name, value);
    },
    removeItem: (name: string) => stored.delete(name),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true });
});
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'localStorage');
});

it('a value that does not fit lasts as long as the page, and replaces the stored one', () => {
  storeValue('draft', 'Hello');
  refuse = () => {
    throw new DOMException('', 'QuotaExceededError');
  };
  storeValue('draft', 'Hello, and a longer question');
  expect(storedValue('draft')).toBe('Hello, and a longer question');
  refuse = undefined;
  storeValue('draft', 'Hi');
  expect([storedValue('draft'), stored.get('avatar-chat-draft')]).toEqual(['Hi', 'Hi']);
  storeValue('draft', undefined);
  expect(storedValue('draft')).toBeNull();
});
