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
    ['of its issuer and audience', { iss: issuer, aud: 'shop' }, ['shop']],
    ['of the first audience that one has', { iss: issuer, aud: ['unknown', 'crm', 'shop'] }, ['crm']],
    ['of its issuer alone', { iss: 'https://other.example.org', aud: 'shop' }, ['any']],
    ['with no name, for another audience', { iss: issuer, aud: 'unknown' }, ['opaque']],
    ['with no name, for another issuer', { iss: `${issuer}/`, aud: 'shop' }, ['opaque']],
    ['with no name, for claims of other types', { iss: [issuer], aud: { shop: 1 } }, ['opaque']],
    ['with no name, for what is no JWT', undefined, ['opaque']],
  ])('is the one %s', (_, claims, ids) => {
    expect(index.find(claims).map(({ project_id }) => project_id)).toEqual(ids);
  });

  it('is none if no project has a provider', () => {
    expect(new IdentityIndex([project('default')]).find({ iss: issuer, aud: 'shop' })).toEqual([]);
  });
});

describe('an issuer and an audience', () => {
  const shop = project('shop', { issuer, audience: 'shop' });
  const fault = { problem: 'has the issuer and the audience of project shop' };

  it('belong to one project, of the file or of those that are there', () => {
    const copy = { ...shop, project_id: 'copy' };
    expect(sharedIdentities([shop, copy], [])).toEqual([{ place: 'projects[1].identity', ...fault }]);
    expect(sharedIdentities([copy], [shop])).toEqual([{ place: 'projects[0].identity', ...fault }]);
  });

  it('stay with a project that is applied again, and may go from one to another', () => {
    expect(sharedIdentities([shop], [shop])).toEqual([]);
    expect(sharedIdentities([project('shop'), { ...shop, project_id: 'crm' }], [shop])).toEqual([]);
    expect(sharedIdentities([project('crm', { issuer, audience: 'crm' })], [shop])).toEqual([]);
  });

  it('may be left out by a number of projects', () => {
    const unnamed = Array.from({ length: 11 }, (_, index) => project(`p${index}`, {}));
    expect(sharedIdentities(unnamed, []).map(({ place }) => place)).toEqual(['projects[10].identity']);
  });
});
