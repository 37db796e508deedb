import { ConfigError, configFrom } from './environment.js';

const ADMIN_KEY = 'a'.repeat(32);
const KEY = 'b'.repeat(32);
const given = { JWT_SECRET: 's'.repeat(32), DATA_DIR: '/nowhere' };
const read = (ADMIN_KEYS: string, more: object = { ADMIN_KEY }) => configFrom({ ...given, ADMIN_KEYS, ...more });

describe('ADMIN_KEYS', () => {
  it('has names, roles, projects and keys', () => {
    const longest = '!'.repeat(512);
    expect(
      read(`desk:agent:shop:${KEY}, all-1:owner:*:${longest},\nv:viewer:Any-1:${'~'.repeat(32)}`).adminKeys,
    ).toEqual([
      { name: 'desk', role: 'agent', project: 'shop', key: KEY },
      { name: 'all-1', role: 'owner', project: '*', key: longest },
      { name: 'v', role: 'viewer', project: 'Any-1', key: '~'.repeat(32) },
    ]);
    expect(configFrom(given).adminKeys).toEqual([]);
    expect(read(' ').adminKeys).toEqual([]);
  });

  it.each([
    ['a role that does not exist', `desk:boss:shop:${KEY}`, 'Entry 1'],
    ['a property of every object as role', `desk:constructor:shop:${KEY}`, 'Entry 1'],
    ['no role', `desk:shop:${KEY}`, 'Entry 1'],
    ['a further field', `desk:agent:shop:${KEY}:x`, 'Entry 1'],
    ['an empty entry', `desk:agent:shop:${KEY},`, 'Entry 2'],
    ['a name with capitals', `Desk:agent:shop:${KEY}`, 'Entry 1'],
    ['no name', `:agent:shop:${KEY}`, 'Entry 1'],
    ['a long name', `${'n'.repeat(65)}:agent:shop:${KEY}`, 'Entry 1'],
    ['the name of ADMIN_KEY', `admin:owner:*:${KEY}`, 'Entry 1'],
    ['a project that cannot be', `desk:agent:a_b:${KEY}`, 'Entry 1'],
    ['no project', `desk:agent::${KEY}`, 'Entry 1'],
    ['a short key', `desk:agent:shop:${KEY.slice(1)}`, 'Entry 1'],
    ['a long key', `desk:agent:shop:${'k'.repeat(513)}`, 'Entry 1'],
    ['a key with a space', `desk:agent:shop:${KEY} ${KEY}`, 'Entry 1'],
    ['a key that is not ASCII', `desk:agent:shop:${KEY}é`, 'Entry 1'],
    ['a name twice', `desk:agent:shop:${KEY},desk:viewer:shop:${KEY}2`, 'a name twice'],
    ['a key twice', `desk:agent:shop:${KEY},view:viewer:shop:${KEY}`, 'a key twice'],
    ['the ADMIN_KEY', `desk:agent:shop:${ADMIN_KEY}`, 'must not have the ADMIN_KEY'],
  ])('with %s, the service does not start, and names the setting without the key', (_, keys, reason) => {
    const attempt = () => read(keys);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(/ADMIN_KEYS /);
    expect(attempt).toThrow(reason);
    for (const secret of [KEY.slice(1), ADMIN_KEY, 'kkkk']) expect(attempt).not.toThrow(secret);
  });

  it('needs ADMIN_KEY', () => {
    expect(() => read(`desk:agent:shop:${KEY}`, {})).toThrow('ADMIN_KEYS needs ADMIN_KEY, which is not set');
  });
});
