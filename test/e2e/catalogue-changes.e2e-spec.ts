import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AdminService } from '../../src/admin/index.js';
import { validKeys } from '../../src/catalogue/index.js';
import { CatalogueJournal } from '../../src/catalogue/catalogue.journal.js';
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
const model = (name: string) => test.app.get<Connection>(getConnectionToken()).model(name);
const projectOf = (text: string) => test.app.get(CatalogueService).findProject(JSON.parse(text).projects[0].project_id);
/** Starts a change, and loses the database midway. */
const interrupt = async (text: string) => {
  const spy = jest.spyOn(model('ProjectDocument'), 'bulkWrite').mockRejectedValue(new DatabaseUnavailableError());
  await expect(test.app.get(CatalogueService).apply(text)).rejects.toThrow(DatabaseUnavailableError);
  return spy;
};

describe('a change that fails midway', () => {
  const failing = (times: number) => {
    const spy = jest.spyOn(model('ProjectDocument'), 'bulkWrite');
    for (let n = 0; n < times; n++) spy.mockRejectedValueOnce(new Error('no'));
    return spy;
  };

  it('is rolled back', async () => {
    const [before, text] = [await stored(), await change()];
    failing(2);
    await expect(test.app.get(CatalogueService).apply(text)).rejects.toThrow('no');
    expect(await stored()).toEqual(before);
  });

  it('because the database is gone is completed by any process that finds it twice', async () => {
    const [text, { avatars: known }] = [await change(), JSON.parse(await test.app.get(CatalogueService).export())];
    const catalogue = test.app.get(CatalogueService);
    (await interrupt(text)).mockRestore();
    await catalogue.completeAbandoned();
    const { project_id } = JSON.parse(text).projects[0];
    expect(await catalogue.findProject(project_id)).toBeUndefined();
    await catalogue.completeAbandoned();
    expect(await catalogue.findProject(project_id)).toMatchObject({ avatars: [project_id] });
    expect(JSON.parse(await catalogue.export()).avatars).toHaveLength(known.length + 1);
  });

  it('in another process is completed before the next one', async () => {
    const [first, second] = [await change(), await change()];
    const catalogue = test.app.get(CatalogueService);
    const lost = await interrupt(first);
    await expect(catalogue.apply(second)).rejects.toThrow(DatabaseUnavailableError);
    lost.mockRestore();
    await catalogue.apply(second);
    for (const text of [first, second]) expect(await projectOf(text)).toBeDefined();
    const journal = test.app.get<Connection>(getConnectionToken()).collection('catalogue_journal');
    expect(await journal.countDocuments()).toBe(0);
  });

  it('in another process and cannot be completed is given up at the next one, which can then be repeated', async () => {
    const [first, second] = [await change(), await change()];
    (await interrupt(first)).mockRestore();
    failing(2);
    const catalogue = test.app.get(CatalogueService);
    await expect(catalogue.apply(second)).rejects.toThrow('no');
    expect(await projectOf(second)).toBeUndefined();
    await catalogue.apply(second);
    expect([await projectOf(first), await projectOf(second)]).toEqual([undefined, expect.anything()]);
  });

  it('and that another process has completed meanwhile is not rolled back', async () => {
    const text = await change();
    failing(1).mockImplementationOnce(async () => {
      await test.app.get(CatalogueRepository).completePending();
      throw new Error('no');
    });
    expect(await test.app.get(CatalogueService).apply(text)).toEqual({
      avatars: 2,
      languages: 1,
      projects: 1,
      changed: true,
    });
    expect(await projectOf(text)).toBeDefined();
  });

  it('is completed', async () => {
    const text = await change();
    failing(1);
    expect(await test.app.get(CatalogueService).apply(text)).toEqual({
      avatars: 2,
      languages: 1,
      projects: 1,
      changed: true,
    });
  });
});

describe('a change while another process begins one', () => {
  it('waits until the other one is complete', async () => {
    const [first, second] = [await change(), await change()];
    (await interrupt(first)).mockRestore();
    // As if the other one had begun a moment later.
    jest.spyOn(test.app.get(CatalogueJournal), 'read').mockResolvedValueOnce(undefined);
    await test.app.get(CatalogueService).apply(second);
    for (const text of [first, second]) expect(await projectOf(text)).toBeDefined();
  });

  it('is refused if that goes on and on, and changes nothing', async () => {
    const [first, second] = [await change(), await change()];
    (await interrupt(first)).mockRestore();
    const others = jest.spyOn(test.app.get(CatalogueJournal), 'read').mockResolvedValue(undefined);
    const catalogue = test.app.get(CatalogueService);
    await expect(catalogue.apply(second)).rejects.toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(await projectOf(second)).toBeUndefined();
    others.mockRestore();
    await catalogue.apply(second);
    expect(await projectOf(second)).toBeDefined();
  });
});

describe('a change of what was read', () => {
  const catalogue = () => test.app.get(CatalogueService);
  const apply = async (text: string, seen?: string) => catalogue().apply(text, seen);

  it('is refused after another change, and changes nothing', async () => {
    const seen = await catalogue().readRevision();
    const [first, second] = [await change(), await change()];
    await apply(first, seen);
    const before = await stored();
    await expect(apply(second, seen)).rejects.toMatchObject({ status: 412, code: 'catalogue_changed' });
    expect(await stored()).toEqual(before);
    await apply(second, await catalogue().readRevision());
    expect(await projectOf(second)).toBeDefined();
  });

  it('is applied once if both are sent at the same moment', async () => {
    const seen = await catalogue().readRevision();
    const texts = await Promise.all(Array.from({ length: 4 }, change));
    const results = await Promise.allSettled(texts.map((text) => apply(text, seen)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const projects = await Promise.all(texts.map(projectOf));
    expect(projects.filter(Boolean)).toHaveLength(1);
  });

  it('of an earlier revision is dropped if its process ended before it was checked', async () => {
    const [text, journal] = [await change(), test.app.get(CatalogueJournal)];
    await journal.add({ id: 'f'.repeat(24), change: JSON.parse(text), seen: 'an earlier one' });
    await test.app.get(CatalogueRepository).completePending();
    expect([await projectOf(text), await journal.pendingId()]).toEqual([undefined, undefined]);
  });

  it('is completed after an interruption, though another change follows', async () => {
    const [first, second] = [await change(), await change()];
    const spy = jest.spyOn(model('ProjectDocument'), 'bulkWrite').mockRejectedValue(new DatabaseUnavailableError());
    await expect(apply(first, await catalogue().readRevision())).rejects.toThrow(DatabaseUnavailableError);
    spy.mockRestore();
    await catalogue().addProject(aProject());
    await apply(second);
    for (const text of [first, second]) expect(await projectOf(text)).toBeDefined();
  });
});

it('a change that cannot begin changes nothing', async () => {
  const [text, before] = [await change(), await stored()];
  jest.spyOn(model('CatalogueJournalDocument'), 'create').mockRejectedValueOnce(new Error('no'));
  await expect(test.app.get(CatalogueService).apply(text)).rejects.toThrow('no');
  expect(await stored()).toEqual(before);
});

describe('a process learns', () => {
  const catalogue = () => test.app.get(CatalogueService);
  const repository = () => test.app.get(CatalogueRepository);
  const isKnown = (project_id: string) => catalogue().knownProject(project_id) !== undefined;
  const insert = (project_id: string) =>
    repository().insertProject({ ...catalogue().knownProject('default')!, project_id });
  const change = (id: string) => repository().setIf(id, {}, { token_policy: 'verified' });

  it.each([
    ['was added', 'updateOne', insert],
    ['has changed', 'updateOne', change],
    ['was removed', 'deleteOne', (id: string) => repository().removeProject(id)],
  ] as const)('that a project %s though that was interrupted after the write', async (what, method, work) => {
    const project_id = aProject();
    if (what !== 'was added') await catalogue().addProject(project_id);
    const projects = model('ProjectDocument');
    const write = projects[method].bind(projects) as (...given: unknown[]) => never;
    jest.spyOn(projects, method).mockImplementationOnce((async (...given: unknown[]) => {
      const result = await write(...given);
      jest.spyOn(model('CatalogueRevisionDocument'), 'updateOne').mockRejectedValueOnce(new DatabaseUnavailableError());
      return result;
    }) as never);
    await expect(work(project_id)).rejects.toThrow(DatabaseUnavailableError);
    await catalogue().refresh();
    expect(isKnown(project_id)).toBe(what !== 'was removed');
    if (what === 'has changed') expect(catalogue().knownProject(project_id)!.token_policy).toBe('verified');
  });

  it('of a change though an older read ends after it', async () => {
    const project_id = aProject();
    const read = repository().read.bind(repository());
    jest.spyOn(repository(), 'read').mockImplementationOnce(async () => {
      const before = await read();
      await insert(project_id);
      await catalogue().load();
      return before;
    });
    await catalogue().load();
    expect(isKnown(project_id)).toBe(true);
  });

  it('of a change that was made while it asked for changes', async () => {
    const project_id = aProject();
    await catalogue().load();
    const revision = repository().revision.bind(repository());
    let refreshed: Promise<void> | undefined;
    jest.spyOn(repository(), 'revision').mockImplementationOnce(async () => {
      const before = await revision();
      await insert(project_id);
      refreshed = catalogue().refresh();
      return before;
    });
    await catalogue().refresh();
    await refreshed;
    expect(isKnown(project_id)).toBe(true);
  });
});

describe('a new key for a project', () => {
  const admin = () => test.app.get(AdminService, { strict: false });

  it('does not replace one that another process gives it at the same time: all stay valid', async () => {
    const { project_id, key: former } = await admin().addProject(aProject());
    const repository = test.app.get(CatalogueRepository);
    const setIf = repository.setIf.bind(repository);
    let theirs: string | undefined;
    jest.spyOn(repository, 'setIf').mockImplementationOnce(async (...given) => {
      theirs = await admin().rotateKey(project_id, 24);
      return setIf(...given);
    });
    const ours = await admin().rotateKey(project_id, 24);
    const project = await test.app.get(CatalogueService).findProject(project_id);
    expect(validKeys(project!, test.clock.now())).toEqual([ours, theirs, former]);
  });

  it('is refused while other processes change it all the time', async () => {
    const { project_id, key } = await admin().addProject(aProject());
    jest.spyOn(test.app.get(CatalogueRepository), 'setIf').mockResolvedValue(false);
    await expect(admin().rotateKey(project_id, 24)).rejects.toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(await admin().showProject(project_id)).toMatchObject({ key });
  });
});
