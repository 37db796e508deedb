import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LlamaBusyError, LlamaProcess } from 'avatar-chat-models';
import { LlamaModels } from 'avatar-chat-models';
import { CatalogueService } from '../../src/index.js';
import { cli } from '../support/cli.js';
import { PUPPET } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { llamaPackage } from '../support/llama-package.js';
import { tinyGguf } from '../support/tiny-gguf.js';

let dir: string;
let library: URL | undefined;

beforeAll(async () => {
  library = await llamaPackage();
  dir = await mkdtemp(join(tmpdir(), 'avatar-chat-local-'));
  await mkdir(join(dir, 'language'), { recursive: true });
  await writeFile(join(dir, 'language/tiny.gguf'), tinyGguf());
  await writeFile(join(dir, 'language/none.gguf'), tinyGguf().subarray(0, 100_000));
  // Where it is, is all that differs.
  jest
    .spyOn(LlamaModels.prototype as unknown as { findLibrary(): URL | undefined }, 'findLibrary')
    .mockImplementation(() => library);
}, 180_000);
afterAll(async () => {
  jest.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

async function aTalker(test: TestApp, engine: object) {
  const project_id = aProject();
  const _id = `${project_id.slice(0, 20)}-ann`;
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id, engine }],
      projects: [{ project_id, avatars: [_id], languages: ['en'] }],
    }),
  );
  const say = async (request = 'How far is the moon?') => {
    const token = await test.token(aUser(), project_id);
    return test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: _id, request } });
  };
  return { project_id, say };
}

describe('the engine llama', () => {
  let test: TestApp;
  const entry = { kind: 'llama', model: 'tiny', system_prompt: 'You are kind.', max_tokens: 30 };

  beforeAll(async () => {
    test = await createTestApp({
      server: anyServer(),
      config: {
        modelsDir: dir,
        localModelSlots: 1,
        localModelQueue: 1,
        adminKey: 'an-admin-key-of-more-than-32-characters',
      },
    });
  });
  afterAll(() => test.close());

  it('answers, is counted, and comes after care', async () => {
    if (!library) return;
    const { say, project_id } = await aTalker(test, entry);
    const { status, body } = await say();
    expect([status, body.incoming.answer.length > 0]).toEqual([201, true]);
    expect((await say('I want to kill myself.')).body.incoming.answer).toMatch(/116 123|emergency|988|112/);
    const { body: usage } = await test.call({
      path: `/admin/projects/${project_id}/usage?days=2`,
      token: 'an-admin-key-of-more-than-32-characters',
    });
    expect(usage.days).toMatchObject([{ engine: 'llama', turns: 2, estimated: false }]);
    expect(usage.days[0].prompt_tokens).toBeGreaterThan(50);
  });

  it('says 503 with Retry-After when too many wait', async () => {
    if (!library) return;
    const { say } = await aTalker(test, { ...entry, max_tokens: 1000 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => say()));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(2);
    expect((await say()).status).toBe(201);
    const { text } = await test.call({ path: '/metrics' });
    expect(Number(/^model_queue_wait_seconds_sum (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0.01);
  });

  it('shares slots, queue and process between avatars with contexts of different sizes', async () => {
    if (!library) return;
    const models = test.app.get(LlamaModels, { strict: false });
    const answering = jest.spyOn(LlamaProcess.prototype, 'answer');
    const placeOf = (context_tokens: number) => ({ model: 'tiny', context_tokens, max_tokens: 200 });
    const answer = (context_tokens: number) => {
      const request = { messages: [{ role: 'user' as const, content: 'Hello' }], functions: [], temperature: 0.7 };
      const place = placeOf(context_tokens);
      const { signal } = new AbortController();
      return models.answer(place, { ...request, ...place, conversation: 'a' }, ['ann'], signal);
    };
    const first = answer(1000);
    expect((await first.next()).done).toBe(false);
    await models.prepare(placeOf(5000));
    const second = answer(5000);
    let isBegun = false;
    const begun = second.next().then(() => (isBegun = true));
    await expect(answer(3000).next()).rejects.toThrow(LlamaBusyError);
    expect(isBegun).toBe(false);
    await first.return(undefined as never);
    await begun;
    await second.return(undefined as never);
    const third = answer(1000);
    await third.next();
    await third.return(undefined as never);
    const [small, large, last] = answering.mock.contexts;
    expect([last === large, small === large]).toEqual([true, false]);
    answering.mockRestore();
  });

  it('fails a turn with a file that is cut off', async () => {
    if (!library) return;
    const { say } = await aTalker(test, { ...entry, model: 'none' });
    expect((await say()).body).toMatchObject({ status: 502, error: 'engine_failed' });
  });

  const faults = (engine: object) =>
    test.app.get(CatalogueService).check(JSON.stringify({ avatars: [{ ...PUPPET, _id: 'x', engine }] }));

  it('has its entry checked', async () => {
    if (!library) return;
    expect(await faults(entry)).toEqual([]);
    for (const [field, value] of [
      ['model', 'missing'],
      ['max_tokens', 0],
      ['temperature', 3],
      ['context_tokens', 1e9],
      ['gpu', true],
    ] as const)
      expect((await faults({ ...entry, [field]: value })).map(({ place }) => place)).toEqual([
        `avatars[0].engine.${field}`,
      ]);
  });

  it('is a fault where its package is missing, which names the command', async () => {
    const found = library;
    library = undefined;
    expect(await faults(entry)).toEqual([
      { place: 'avatars[0].engine.model', problem: 'needs an optional package: npm install node-llama-cpp@3.21.1' },
    ]);
    library = found;
  });
});

describe('LOCAL_MODEL', () => {
  it('answers for scripted avatars, and the script when it cannot', async () => {
    if (!library) return;
    const test = await createTestApp({
      server: anyServer(),
      config: { modelsDir: dir, localModel: 'tiny', localModelSlots: 1, localModelQueue: 0 },
    });
    try {
      const { say } = await aTalker(test, { kind: 'scripted', script: 'ada' });
      const answers = await Promise.all(Array.from({ length: 3 }, () => say('Hello')));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      // The script's words are whole, a random model's are not.
      expect(
        answers.filter(({ body }) => /hello|hi|welcome|good/i.test(body.incoming.answer)).length,
      ).toBeGreaterThanOrEqual(1);
    } finally {
      await test.close();
    }
  });

  it.each([
    ['whose package is missing', 'tiny', /npm install node-llama-cpp@3\.21\.1/],
    ['that is not there', 'missing', /language\/missing\.gguf is not there|npm install/],
  ])('is a start error for a model %s', async (name, localModel, message) => {
    const found = library;
    if (name.includes('package')) library = undefined;
    await expect(createTestApp({ server: anyServer(), config: { modelsDir: dir, localModel } })).rejects.toThrow(
      message,
    );
    library = found;
  });
});

it('the command line installs, lists and removes models', async () => {
  process.env.MODELS_DIR = join(dir, 'of-cli');
  try {
    const file = join(dir, 'language/tiny.gguf');
    expect(await cli(`model install ${file} --name small`)).toMatchObject({ code: 0, out: 'installed small\n' });
    expect(await cli('model list')).toMatchObject({ code: 0, out: 'small  0 MB\n' });
    expect(await cli(`model install ${join(dir, 'nothing.gguf')}`)).toMatchObject({ code: 1, out: '' });
    expect(await cli(`model install ${file} --sha256 12`)).toMatchObject({ code: 2 });
    expect(await cli(`model install ${file} --sha256 ${'0'.repeat(64)}`)).toMatchObject({ code: 1 });
    expect(await cli('model remove small')).toMatchObject({ code: 0, out: 'removed small\n' });
    expect(await cli('model remove small')).toMatchObject({ code: 1 });
    expect(await cli('model install')).toMatchObject({ code: 2 });
  } finally {
    delete process.env.MODELS_DIR;
  }
});
