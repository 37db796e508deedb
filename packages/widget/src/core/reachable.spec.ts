import { reachable } from './reachable.js';

const FILE = 'http://127.0.0.1:3000/files/1?signature=x';

it.each([
  [
    'another name of this machine is replaced',
    FILE,
    'http://localhost:3000',
    'http://localhost:3000/files/1?signature=x',
  ],
  ['the same name is kept', FILE, 'http://127.0.0.1:3000', FILE],
  ['another port is kept', FILE, 'http://localhost:3001', FILE],
  ['another machine is kept', 'https://cdn.test/a.webp', 'http://localhost:3000', 'https://cdn.test/a.webp'],
])('%s', (_, url, service, expected) => {
  expect(reachable(url, service)).toBe(expected);
});
