import files from 'node:fs/promises';
import { AdminService } from '../../src/index.js';
import { KnowledgeService } from '../../src/knowledge/index.js';
import { KnowledgeBases } from '../../src/knowledge/knowledge.bases.js';
import { KnowledgeRepository } from '../../src/knowledge/knowledge.repository.js';
import { anyServer, aProject, createTestApp, type TestApp } from '../support/index.js';

/** Sections with a word each that no other has: so many passages. */
const sections = (count: number, word: string) =>
  Buffer.from(
    Array.from({ length: count }, (_, at) => `## Section ${at}\n\nThe ${word}${at} of a ${word} is blue.`).join('\n\n'),
  );

describe.each([anyServer()])('loading a knowledge base', (server) => {
  let test: TestApp;
  let bases: KnowledgeBases;
  let repository: KnowledgeRepository;
  let knowledge: KnowledgeService;
  beforeAll(async () => {
    test = await createTestApp({ server });
    bases = test.app.get(KnowledgeBases);
    repository = test.app.get(KnowledgeRepository);
    knowledge = test.app.get(KnowledgeService);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => test.close());

  const aBase = async () => {
    const project_id = aProject();
    await test.app.get(AdminService).addProject(project_id);
    const name = { project_id, base: 'manual' };
    const add = (title: string, bytes: Uint8Array) => knowledge.add(name, { bytes, name: `${title}.md` });
    const search = async (question: string) => (await knowledge.search(name, question, 20)).map(({ title }) => title);
    return { name, add, search };
  };

  it('has no passage twice after a document whose loading failed', async () => {
    const { add, search } = await aBase();
    await add('first', sections(1, 'zebra'));
    expect(await search('zebra')).toEqual(['first']);
    const read = repository.read.bind(repository);
    jest.spyOn(repository, 'read').mockImplementationOnce(async function* (...given) {
      for await (const part of read(...given)) {
        yield part;
        throw new Error('a fault of the test');
      }
    });
    const { document } = await add('second', sections(3, 'giraffe'));
    expect(await search('giraffe')).toEqual([]);
    expect(await search('zebra')).toEqual(['first']);
    test.clock.advance(2000);
    expect(await search('giraffe')).toHaveLength(document.passages);
  });

  it('reads a shipped base again after a failure', async () => {
    for (const code of ['EMFILE', 'EACCES']) {
      jest.spyOn(files, 'readdir').mockRejectedValueOnce(Object.assign(new Error(code), { code }));
      await expect(bases.openShipped('bruno')).rejects.toThrow(code);
    }
    expect((await bases.openShipped('bruno'))?.isEmpty).toBe(false);
    expect(await bases.openShipped('nobody')).toBeUndefined();
  });
});
