import files from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { CatalogueService } from '../../src/index.js';
import { KnowledgeService } from '../../src/knowledge/index.js';
import { KnowledgeBases } from '../../src/knowledge/knowledge.bases.js';
import { KnowledgeRepository } from '../../src/knowledge/knowledge.repository.js';
import { KnowledgeSearch } from '../../src/knowledge/knowledge.search.js';
import { PUPPET } from '../support/engines.js';
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

  const aBase = async (names = ['manual']) => {
    const project_id = aProject();
    const avatar = {
      ...PUPPET,
      engine: { kind: 'scripted', script: 'ada' },
      _id: `${project_id.slice(0, 20)}-ann`,
      knowledge: names,
    };
    const projects = [{ project_id, avatars: [avatar._id], languages: ['en'] }];
    await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [avatar], projects }));
    const name = { project_id, base: 'manual' };
    const add = (title: string, bytes: Uint8Array) => knowledge.add(name, { bytes, name: `${title}.md` });
    const titles = (found: readonly { title: string }[]) => [...new Set(found.map(({ title }) => title))].sort();
    const search = async (question: string) => (await knowledge.search(name, question, 20)).map(({ title }) => title);
    const find = async (question: string) => {
      const found = await test.app
        .get(KnowledgeSearch)
        .find({ project_id, avatar, language_code: 'en' } as never, question, 2);
      return titles(found.map(({ document }) => document));
    };
    return { name, add, search, find };
  };

  /** The next document that is loaded comes passage by passage, on demand. */
  const slowly = () => {
    const read = repository.read.bind(repository);
    let goOn = () => {};
    let isAll = false;
    jest.spyOn(repository, 'read').mockImplementationOnce(async function* (...given) {
      for await (const part of read(...given))
        for (const passage of part.passages) {
          yield { ...part, passages: [passage] };
          if (!isAll) await new Promise<void>((resolve) => (goOn = resolve));
        }
    });
    return {
      next: () => goOn(),
      all: () => {
        isAll = true;
        goOn();
      },
    };
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

  it('is no hindrance to answers from what is loaded', async () => {
    const { add, search, find } = await aBase();
    await add('first', sections(2, 'zebra'));
    expect(await find('zebra')).toEqual(['first']);
    const loading = slowly();
    await add('large', sections(300, 'giraffe'));
    expect([await find('zebra'), await find('giraffe')]).toEqual([['first'], []]);
    loading.next();
    // A smaller one, also of the words of the large one, is loaded before the large one is.
    await add('small', sections(1, 'giraffe'));
    let found: string[] = [];
    while (found.length === 0) {
      loading.next();
      await setTimeout(10);
      found = await find('giraffe');
    }
    expect(found).toEqual(['small']);
    loading.all();
    expect(await search('giraffe')).toContain('large');
  });

  it('leaves a document as it was until its new content is there', async () => {
    const { add, search, find } = await aBase();
    await add('first', sections(2, 'zebra'));
    expect(await find('zebra')).toEqual(['first']);
    const loading = slowly();
    await add('first', sections(100, 'lion'));
    expect([await find('zebra'), await find('lion')]).toEqual([['first'], []]);
    loading.all();
    expect([await search('zebra'), new Set(await search('lion'))]).toEqual([[], new Set(['first'])]);
  });

  it('never shows a version that is replaced while it is loaded', async () => {
    const { add, search, find } = await aBase();
    await add('first', sections(2, 'zebra'));
    expect(await find('zebra')).toEqual(['first']);
    const loading = slowly();
    await add('first', sections(400, 'lion'));
    expect(await find('lion')).toEqual([]);
    await add('first', sections(3, 'tiger'));
    loading.all();
    expect(await search('tiger')).not.toEqual([]);
    expect([await search('lion'), await search('zebra')]).toEqual([[], []]);
  });

  it('that cannot be read takes nothing away from the others', async () => {
    const { add, find } = await aBase(['torn', 'manual']);
    await add('first', sections(2, 'zebra'));
    const list = repository.list.bind(repository);
    jest.spyOn(repository, 'list').mockImplementation((name) => {
      if (name.base === 'torn') return Promise.reject(new Error('a fault of the test'));
      return list(name);
    });
    jest.spyOn(files, 'readdir').mockRejectedValueOnce(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }));
    expect(await find('zebra')).toEqual(['first']);
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
