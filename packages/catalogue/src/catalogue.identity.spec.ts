import { IdentityIndex, sharedIdentities } from './catalogue.identity.js';
import type { IdentityEntry, Project } from './catalogue.types.js';

const project = (project_id: string, identity?: Omit<IdentityEntry, 'kind'>) =>
  ({ project_id, ...(identity ? { identity: { kind: 'oidc', ...identity } } : {}) }) as Project;
const issuer = 'https://id.example.org';

describe('the project of a token', () => {
  const index = new IdentityIndex([
    project('default'),
    project('shop', { issuer, audience: 'shop' }),
    project('crm', { issuer, audience: 'crm' }),
    project('any', { issuer: 'https://other.example.org' }),
    project('opaque', {}),
  ]);

  it.each<[string, Record<string, unknown> | undefined, string[]]>([
    ['by its issuer and audience', { iss: issuer, aud: 'shop' }, ['shop']],
    [
      'by each of its audiences, in their order',
      { iss: issuer, aud: ['unknown', 'crm', 'shop', 'crm'] },
      ['crm', 'shop'],
    ],
    ['by none of too many', { iss: issuer, aud: [...Array.from({ length: 10 }, String), 'shop'] }, ['opaque']],
    ['by its issuer alone', { iss: 'https://other.example.org', aud: 'shop' }, ['any']],
    ['without criteria, for another audience', { iss: issuer, aud: 'unknown' }, ['opaque']],
    ['without criteria, for another issuer', { iss: `${issuer}/`, aud: 'shop' }, ['opaque']],
    ['without criteria, for claims of other types', { iss: [issuer], aud: { shop: 1 } }, ['opaque']],
    ['without criteria, for a token that is not a JWT', undefined, ['opaque']],
  ])('is found %s', (_, claims, ids) => {
    expect(index.find(claims).map(({ project_id }) => project_id)).toEqual(ids);
  });

  it('is undefined if no project has a provider', () => {
    expect(new IdentityIndex([project('default')]).find({ iss: issuer, aud: 'shop' })).toEqual([]);
  });
});

describe('an issuer and an audience', () => {
  const shop = project('shop', { issuer, audience: 'shop' });
  const fault = { problem: 'has the issuer and the audience of project shop' };

  it('belong to one project, of the file or of the existing ones', () => {
    const copy = { ...shop, project_id: 'copy' };
    expect(sharedIdentities([shop, copy], [])).toEqual([{ place: 'projects[1].identity', ...fault }]);
    expect(sharedIdentities([copy], [shop])).toEqual([{ place: 'projects[0].identity', ...fault }]);
  });

  it('are kept by a project that is applied again, and may move to another project', () => {
    expect(sharedIdentities([shop], [shop])).toEqual([]);
    expect(sharedIdentities([project('shop'), { ...shop, project_id: 'crm' }], [shop])).toEqual([]);
    expect(sharedIdentities([project('crm', { issuer, audience: 'crm' })], [shop])).toEqual([]);
  });

  it('may be omitted by any number of projects', () => {
    const unnamed = Array.from({ length: 11 }, (_, index) => project(`p${index}`, {}));
    expect(sharedIdentities(unnamed, []).map(({ place }) => place)).toEqual(['projects[10].identity']);
  });
});
