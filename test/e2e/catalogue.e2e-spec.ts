import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { CatalogueService } from '../../src/index.js';
import { createTestApp, type TestAppOptions } from '../../src/testing/index.js';
import { aProject, type TestApp } from '../support/index.js';

const project = (more: object) => ({ avatars: ['ada'], languages: ['en'], ...more });
const fileOf = (...projects: object[]) => JSON.stringify({ projects });

describe('the catalogue of a running service', () => {
  let test: TestApp;
  let catalogue: CatalogueService;
  beforeAll(async () => {
    test = await createTestApp();
    catalogue = test.app.get(CatalogueService);
  });
  afterAll(() => test.close());
  const collection = (name: string) => test.app.get<Connection>(getConnectionToken()).collection<any>(name);

  it('omits avatars and languages that were removed bypassing the service', async () => {
    const [before, after] = [aProject(), aProject()];
    const both = project({ project_id: before, avatars: ['ada', 'clara'], languages: ['en', 'fr'] });
    const { avatars_info } = (await test.call({ path: '/connection', token: await test.token('ann') })).body;
    const [first, second] = avatars_info.map(({ _id }: { _id: string }) => _id);
    await catalogue.apply(fileOf({ ...both, avatars: [first, second] }));
    await collection('avatars').deleteOne({ _id: second });
    await collection('languages').deleteOne({ _id: 'fr' });
    await catalogue.apply(fileOf(project({ project_id: after, avatars: [first] })));
    const resolved = await catalogue.findResolvedProject(before);
    expect(resolved!.avatars.map(({ _id }) => _id)).toEqual([first]);
    expect(resolved!.languages.map(({ language_code }) => language_code)).toEqual(['en']);
  });

  it('stores everything that a project names, and drops what it no longer names', async () => {
    const project_id = aProject();
    const speech = { speaker: { kind: 'none' } };
    const optional = {
      identity: { kind: 'oidc', issuer: 'https://id.example', audience: project_id },
      video: { enabled: true },
      webhooks: [{ name: 'crm', url: 'https://crm.example/in' }],
    };
    await catalogue.apply(fileOf(project({ project_id, speech, ...optional })));
    expect(await catalogue.findProject(project_id)).toMatchObject({ speech, ...optional });
    await catalogue.apply(fileOf(project({ project_id, speech })));
    const found = await catalogue.findProject(project_id);
    expect(found).toMatchObject({ speech });
    for (const name of Object.keys(optional)) expect(found).not.toHaveProperty(name);
  });

  it('stores what is empty in an avatar, too', async () => {
    const ada = (await catalogue.resolvedProject('default')).avatars.find(({ _id }) => _id === 'ada')!;
    const avatar = { ...ada, _id: aProject(), greetings: {}, voice: { names: {} } };
    await catalogue.apply(JSON.stringify({ avatars: [avatar] }));
    expect(JSON.parse(await catalogue.export()).avatars).toContainEqual(avatar);
  });

  it('rejects unknown kinds of speech, and lists the known ones', async () => {
    const file = fileOf(project({ project_id: aProject(), speech: { speaker: { kind: 'parrot' } } }));
    expect(await catalogue.check(file)).toEqual([
      { place: 'projects[0].speech.speaker.kind', problem: 'must be one of espeak, none, openai, piper' },
    ]);
    await expect(catalogue.apply(file)).rejects.toThrow(/projects\[0\]\.speech\.speaker\.kind/);
  });

  it('finds a project that another process has added, and drops one that it has removed', async () => {
    const [added, known] = [aProject(), aProject()];
    expect(catalogue.knownProject(added)).toBeUndefined();
    const settings = { chat_types: ['text'] };
    const document = { _id: added, ...project({ token_policy: 'open', key: 'k', settings }) };
    await collection('projects').insertOne(document);
    expect(await catalogue.hasProject(added)).toBe(true);
    expect(await catalogue.findProject(added)).toMatchObject({ project_id: added, settings: { greet: false } });
    await catalogue.addProject(known);
    await collection('projects').deleteOne({ _id: known });
    await collection('catalogue_revisions').updateOne({}, { $set: { revision: 'another' } });
    for (const end = Date.now() + 5000; catalogue.knownProject(known) && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(catalogue.knownProject(known)).toBeUndefined();
  });

  it('neither adds a project twice nor removes the default one', async () => {
    const project_id = aProject();
    expect(await catalogue.addProject(project_id)).toMatchObject({ project_id });
    expect(await catalogue.addProject(project_id)).toBeUndefined();
    expect(await catalogue.removeProject('default')).toBe(false);
    expect(await catalogue.removeProject(project_id)).toBe(true);
    expect(await catalogue.removeProject(project_id)).toBe(false);
    expect(await catalogue.findProject(project_id)).toBeUndefined();
  });
});

describe('a service at startup', () => {
  const start = async (options: TestAppOptions) => {
    const lines: any[] = [];
    const log = new Writable({
      write(line, _encoding, done) {
        lines.push(JSON.parse(String(line)));
        done();
      },
    });
    const test = await createTestApp({ ...options, logger: pino({ level: 'warn' }, log) });
    return { test, lines };
  };

  it('in production warns of projects that give anyone a token', async () => {
    const { test, lines } = await start({ config: { production: true } });
    await test.close();
    expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/in 1 project: default$/));
  });

  it('in production does not if each project verifies its users', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'catalogue-'));
    const catalogueFile = join(directory, 'catalogue.json');
    const only = { project_id: 'default', token_policy: 'verified', avatars: [], languages: [] };
    writeFileSync(catalogueFile, fileOf(only));
    const { test, lines } = await start({ config: { production: true, catalogueFile } });
    await test.close();
    rmSync(directory, { recursive: true });
    expect(lines).toEqual([]);
  });

  it('elsewhere does not', async () => {
    const { test, lines } = await start({});
    await test.close();
    expect(lines).toEqual([]);
  });

  it.each([
    ['does not exist', undefined, /CATALOGUE_FILE: cannot be read/],
    ['has no default project', fileOf({ project_id: 'a', avatars: [], languages: [] }), /must have one named default/],
  ])('on an empty database with a catalogue that %s fails to start', async (_, text, fault) => {
    const directory = mkdtempSync(join(tmpdir(), 'catalogue-'));
    const catalogueFile = join(directory, 'catalogue.json');
    if (text) writeFileSync(catalogueFile, text);
    await expect(createTestApp({ config: { catalogueFile } })).rejects.toThrow(fault);
    rmSync(directory, { recursive: true });
  });
});
