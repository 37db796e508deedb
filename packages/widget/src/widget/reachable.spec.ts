import { reachable } from './reachable.js';

const FILE = 'http://127.0.0.1:3000/files/1?signature=x';

it.each([
  [
    'another name of this machine is this one',
    FILE,
    'http://localhost:3000',
    'http://localhost:3000/files/1?signature=x',
  ],
  ['the same name stays', FILE, 'http://127.0.0.1:3000', FILE],
  ['another port is another service', FILE, 'http://localhost:3001', FILE],
  ['another machine stays', 'https://cdn.test/a.webp', 'http://localhost:3000', 'https://cdn.test/a.webp'],
])('%s', (_, url, service, expected) => {
  expect(reachable(url, service)).toBe(expected);
});
