import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueRepository } from '../../src/catalogue/catalogue.repository.js';
import { CatalogueService, DatabaseUnavailableError } from '../../src/index.js';
import { anyServer, aProject, createTestApp, type TestApp } from '../support/index.js';

let test: TestApp;
beforeAll(async () => (test = await createTestApp({ server: anyServer() })));
afterEach(() => jest.restoreAllMocks());
afterAll(() => test.close());

it('a project that another process adds at the same time is kept as that process added it', async () => {
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

it('if several processes add a project at once, exactly one does', async () => {
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

  it('is rolled back', async () => {
    const [before, text] = [await stored(), await change()];
    failing(2);
    await expect(test.app.get(CatalogueService).apply(text)).rejects.toThrow('no');
    expect(await stored()).toEqual(before);
  });

  it('because the database is gone is completed by any process that finds it twice', async () => {
    const [text, { avatars: known }] = [await change(), JSON.parse(await test.app.get(CatalogueService).export())];
    const model = test.app.get<Connection>(getConnectionToken()).model('ProjectDocument');
    const spy = jest.spyOn(model, 'bulkWrite').mockRejectedValue(new DatabaseUnavailableError());
    const catalogue = test.app.get(CatalogueService);
    await expect(catalogue.apply(text)).rejects.toThrow(DatabaseUnavailableError);
    spy.mockRestore();
    await catalogue.completeAbandoned();
    const { project_id } = JSON.parse(text).projects[0];
    expect(await catalogue.findProject(project_id)).toBeUndefined();
    await catalogue.completeAbandoned();
    expect(await catalogue.findProject(project_id)).toMatchObject({ avatars: [project_id] });
    expect(JSON.parse(await catalogue.export()).avatars).toHaveLength(known.length + 1);
  });

  it('in another process is completed before the next one', async () => {
    const [first, second] = [await change(), await change()];
    const model = test.app.get<Connection>(getConnectionToken()).model('ProjectDocument');
    const spy = jest.spyOn(model, 'bulkWrite').mockRejectedValue(new DatabaseUnavailableError());
    const catalogue = test.app.get(CatalogueService);
    await expect(catalogue.apply(first)).rejects.toThrow(DatabaseUnavailableError);
    spy.mockRestore();
    await catalogue.apply(second);
    for (const text of [first, second])
      expect(await catalogue.findProject(JSON.parse(text).projects[0].project_id)).toBeDefined();
    const journal = test.app.get<Connection>(getConnectionToken()).collection('catalogue_journal');
    expect(await journal.countDocuments()).toBe(0);
  });

  it('is completed', async () => {
    const text = await change();
    failing(1);
    expect(await test.app.get(CatalogueService).apply(text)).toEqual({ avatars: 2, languages: 1, projects: 1 });
  });
});
