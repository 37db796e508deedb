import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueRepository } from '../../src/catalogue/catalogue.repository.js';
import { CatalogueService } from '../../src/index.js';
import { anyServer, aProject, createTestApp, type TestApp } from '../support/index.js';

let test: TestApp;
beforeAll(async () => (test = await createTestApp({ server: anyServer() })));
afterEach(() => jest.restoreAllMocks());
afterAll(() => test.close());

it('a project that another process adds while it is being added stays as that one has it', async () => {
  const catalogue = test.app.get(CatalogueService);
  const repository = test.app.get(CatalogueRepository);
  const project_id = aProject();
  const read = repository.read.bind(repository);
  jest.spyOn(repository, 'read').mockImplementationOnce(async () => {
    const before = await read();
    const project = { project_id, token_policy: 'verified', avatars: [], languages: ['en'] };
    await catalogue.apply(JSON.stringify({ projects: [project] }));
    return before;
  });
  expect(await catalogue.addProject(project_id)).toBeUndefined();
  expect(await catalogue.findProject(project_id)).toMatchObject({ token_policy: 'verified', avatars: [] });
});

it('of several that add a project at once, one does', async () => {
  const catalogue = test.app.get(CatalogueService);
  const project_id = aProject();
  const added = await Promise.all(Array.from({ length: 5 }, () => catalogue.addProject(project_id)));
  expect(added.filter((project) => project !== undefined)).toHaveLength(1);
});

describe('a change that fails midway', () => {
  const stored = async () => {
    const connection = test.app.get<Connection>(getConnectionToken());
    const collections = ['avatars', 'languages', 'projects'].map((name) => connection.collection(name));
    return Promise.all(collections.map((one) => one.find().sort({ _id: 1 }).toArray()));
  };
  const change = async () => {
    const { avatars, languages } = JSON.parse(await test.app.get(CatalogueService).export());
    const project_id = aProject();
    return JSON.stringify({
      avatars: [
        { ...avatars[0], name: 'Changed' },
        { ...avatars[0], _id: project_id },
      ],
      languages: [{ ...languages[0], name: 'Changed' }],
      projects: [{ project_id, avatars: [project_id], languages: [] }],
    });
  };
  const failing = (times: number) => {
    const model = test.app.get<Connection>(getConnectionToken()).model('ProjectDocument');
    const spy = jest.spyOn(model, 'bulkWrite');
    for (let n = 0; n < times; n++) spy.mockRejectedValueOnce(new Error('no'));
  };

  it('leaves nothing of itself', async () => {
    const [before, text] = [await stored(), await change()];
    failing(2);
    await expect(test.app.get(CatalogueService).apply(text)).rejects.toThrow('no');
    expect(await stored()).toEqual(before);
  });

  it('once is made whole', async () => {
    const text = await change();
    failing(1);
    expect(await test.app.get(CatalogueService).apply(text)).toEqual({ avatars: 2, languages: 1, projects: 1 });
  });
});
