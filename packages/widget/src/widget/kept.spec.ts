import { keep, kept } from './kept.js';

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
  keep('draft', 'Hello');
  refuse = () => {
    throw new DOMException('', 'QuotaExceededError');
  };
  keep('draft', 'Hello, and a longer question');
  expect(kept('draft')).toBe('Hello, and a longer question');
  refuse = undefined;
  keep('draft', 'Hi');
  expect([kept('draft'), stored.get('avatar-chat-draft')]).toEqual(['Hi', 'Hi']);
  keep('draft', undefined);
  expect(kept('draft')).toBeNull();
});
