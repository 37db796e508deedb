import { CatalogueService } from '../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';

describe('GET /suggestions', () => {
  let test: TestApp;
  const project_id = aProject();
  beforeAll(async () => {
    test = await createTestApp({ server: anyServer(), modules: [PuppetModule] });
    await test.app.get(CatalogueService).apply(
      JSON.stringify({
        avatars: [PUPPET],
        projects: [{ project_id, avatars: ['mira', 'puppet'], languages: ['de', 'en'] }],
      }),
    );
  });
  afterAll(() => test.close());

  const ask = async (query: string) =>
    test.call({ path: `/suggestions?${query}`, token: await test.token(aUser(), project_id) });

  it("are those of the avatar in the language, or in the project's first", async () => {
    const inGerman = { suggestions: ['Gib mir einen Rat', 'Ich kann nicht schlafen', 'Motiviere mich'] };
    expect(await ask('avatar_id=mira')).toMatchObject({ status: 200, body: inGerman });
    expect((await ask('avatar_id=mira&language_code=de')).body).toEqual(inGerman);
    expect((await ask('avatar_id=mira&language_code=en')).body.suggestions[1]).toBe("I can't sleep");
  });

  it('prepare the engine for the first of them', async () => {
    await ask('avatar_id=puppet&language_code=en');
    expect(test.app.get(PuppetEngine).prepared).toEqual(['en']);
  });

  it('are empty if the catalogue has none, and exported if it has some', async () => {
    const catalogue = test.app.get(CatalogueService);
    const { avatars } = JSON.parse(await catalogue.export());
    const mira = avatars.find(({ _id }: { _id: string }) => _id === 'mira');
    expect(mira.suggestions.de).toHaveLength(3);
    await catalogue.apply(JSON.stringify({ avatars: [{ ...mira, suggestions: { en: ['Hello?'] } }] }));
    expect((await ask('avatar_id=mira')).body).toEqual({ suggestions: [] });
  });

  it.each([
    ['', 400, 'invalid_avatar_id'],
    ['avatar_id=ada', 404, 'avatar_not_found'],
    ['avatar_id=mira&language_code=fr', 400, 'invalid_language_code'],
  ])('refuses %p', async (query, status, error) => {
    expect(await ask(query)).toMatchObject({ status, body: { error } });
  });
});
