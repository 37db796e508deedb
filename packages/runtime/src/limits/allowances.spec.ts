import { Allowances } from './allowances.js';

let now = 0;
let allowances: Allowances;
beforeEach(() => {
  now = 0;
  allowances = new Allowances(1000, 100, () => now);
});

it('a holder may spend a burst at once, then as much as is regained', () => {
  expect(allowances.spend(['u'], 1000)).toBe(0);
  expect(allowances.spend(['u'], 50)).toBe(500);
  now += 500;
  expect(allowances.spend(['u'], 0)).toBe(0);
  expect(allowances.spend(['other'], 1000)).toBe(0);
  now += 60_000;
  expect(allowances.spend(['u'], 1010)).toBe(100);
});

it('users of one address share what eight may spend', () => {
  for (let n = 0; n < 8; n++) expect(allowances.spend([`u${n}`, 'here'], 1000)).toBe(0);
  expect(allowances.spend(['u8', 'here'], 800)).toBe(1000);
  expect(allowances.spend(['u9', 'there'], 1000)).toBe(0);
});

it('accounts that are full again take no memory', () => {
  for (let n = 0; n < 1000; n++) allowances.spend([`u${n}`], 500);
  allowances.spend(['debtor'], 2000);
  now += 6000;
  allowances.spend(['last'], 1);
  expect((allowances as unknown as { accounts: Map<string, unknown> }).accounts.size).toBe(2);
  expect(allowances.spend(['debtor'], 0)).toBe(4000);
});
