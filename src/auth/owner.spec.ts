import { Owner } from './owner.js';

describe('an owner', () => {
  it('holds a project and a user, and is immutable', () => {
    const owner = new Owner('default', 'ann');
    expect({ ...owner }).toEqual({ project_id: 'default', user_id: 'ann' });
    expect(() => Object.assign(owner, { user_id: 'bob' })).toThrow(TypeError);
  });

  it.each<[unknown, unknown]>([
    ['', 'ann'],
    ['default', ''],
    ['a_b', 'ann'],
    ['x'.repeat(65), 'ann'],
    ['default', 'a b'],
    ['default', 'x'.repeat(129)],
    [undefined, 'ann'],
    ['default', ['ann']],
    [{ $ne: '' }, 'ann'],
    ['default', { $ne: '' }],
  ])('rejects %p and %p', (project_id, user_id) => {
    expect(() => new Owner(project_id as string, user_id as string)).toThrow(TypeError);
  });
});
