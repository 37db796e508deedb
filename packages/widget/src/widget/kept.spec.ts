import { keep, kept } from './kept.js';

const stored = new Map<string, string>();
/** What `localStorage` does when it is asked to keep something. */
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

it('what there is no room for lasts as long as the page, in place of what was kept before', () => {
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
