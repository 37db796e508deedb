import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MessageSchema } from '../../src/messages/message.schema.js';
import { parseCatalogueFile } from 'avatar-chat-catalogue';
import { type ErrorDefinition, ERRORS } from 'avatar-chat-errors';

const read = (file: string) => readFileSync(file, 'utf8');
const filesUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
const sources = (folder: string) => filesUnder(folder).filter((file) => /\.(ts|mjs)$/.test(file));
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match.slice(1));

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'deploy/README.md',
  ...filesUnder('docs'),
  ...filesUnder('packages').filter((file) => !/[\\/](node_modules|dist)[\\/]/.test(file)),
].filter((file) => file.endsWith('.md'));
/** What is read, but has names of others, or figures. */
const reports = ['AGENTS.md', 'bench/README.md', 'bench/RESULTS.md', 'test/acceptance/RESULTS.md'];
const withoutCode = (text: string) => text.replace(/^```[^]*?^```/gm, '');
const linksOf = (page: string) => all(withoutCode(read(page)), /\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g);

/** GitHub's anchor of a heading. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
const anchors = (file: string) => all(withoutCode(read(file)), /^#+ (.+)$/gm).map(([heading]) => anchor(heading!));

describe('the documentation', () => {
  it.each([...pages, ...reports])('%s has no broken links', (page) => {
    const dead = linksOf(page).filter(([path, hash]) => {
      const target = path ? join(dirname(page), path) : page;
      return !existsSync(target) || (hash && !anchors(target).includes(hash.slice(1)));
    });
    expect(dead).toEqual([]);
  });

  it('says nothing twice in the same words', () => {
    const prose = pages.map((page) => withoutCode(read(page)).replace(/\]\([^)]*\)|[[*_`]/g, ''));
    const sentences = prose
      .flatMap((text) => text.split(/\n\s*\n|\n\s*(?:-|\d\.) |\|/))
      .flatMap((paragraph) =>
        paragraph
          .trim()
          .replace(/\s+/g, ' ')
          .split(/(?<=[.!?]) /),
      )
      .filter((sentence) => sentence.split(' ').length > 4);
    expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)).toEqual([]);
    expect(sentences.length).toBeGreaterThan(1000);
  });

  it('links, in what is published, only to what is published with it', () => {
    const [{ files }] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8', stdio: 'pipe' }),
    ) as [{ files: { path: string }[] }];
    const published = files.map(({ path }) => path);
    const isPublished = (target: string) => published.some((file) => file === target || file.startsWith(`${target}/`));
    const dead = published
      .filter((file) => pages.includes(file))
      .flatMap((page) => linksOf(page).map(([path]) => [page, path && join(dirname(page), path).replace(/\/$/, '')]))
      // What is built is not there until it is built.
      .filter(([, target]) => target && !target.startsWith('dist/') && !isPublished(target));
    expect(dead).toEqual([]);
  });

  it.each(pages)('%s passes no secret as a command argument, which every user of the machine can read', (page) => {
    const commands = read(page).replace(/\\\n/g, ' ').split('\n');
    expect(commands.filter((line) => /\bcurl\b.*\$\{?(ADMIN_KEY|JWT_SECRET)/.test(line))).toEqual([]);
  });

  it('has no program that is neither run nor marked, and no JSON that is not', () => {
    // By the first line: what other tests compile, run or compare with its source.
    const tested = [
      /^\/\/ (src\/|jest\.config)/,
      /^<!doctype html>/,
      /^db\.messages\.createIndex/,
      /^import .*\btype Message\b/,
    ];
    const blocks = pages.flatMap((page) => {
      const found = read(page).matchAll(/^( *)```(\w*)(?: (.+))?\n([^]*?)^\1```$/gm);
      return [...found].map(([, , kind = '', info = '', text = '']) => ({ page, kind, info, text }));
    });
    const programs = blocks.filter(
      ({ page, kind }) => /^(js|ts|tsx|py|python|html)$/.test(kind) && page !== 'docs/samples.md',
    );
    const open = programs.filter(({ info, text }) => info === '' && !tested.some((begin) => begin.test(text)));
    expect(open.map(({ page, text }) => `${page}: ${text.split('\n')[0]}`)).toEqual([]);
    const json = blocks.filter(({ kind, info, text }) => kind === 'json' && info === '' && !text.includes('…'));
    for (const { text } of json) JSON.parse(text.startsWith('"') ? `{${text}}` : text);
    expect([programs.length > 30, json.length > 30]).toEqual([true, true]);
  });

  it('names no route that the service does not have', () => {
    const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`, 'i')),
    );
    const named = pages
      .filter((page) => page !== 'CHANGELOG.md')
      .flatMap((page) =>
        all(read(page), /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`\s?]*)/g).map(([route]) => [page, route!]),
      );
    // The upgrade to a WebSocket is in no document.
    const unknown = named.filter(([, one]) => one !== 'GET /v1/realtime' && !routes.some((route) => route.test(one!)));
    expect(unknown).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });

  it('has a request for each route', () => {
    const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, object> };
    const requests = all(read('docs/requests.http'), /^((?:GET|POST|PUT|DELETE) \S+)/gm).flat();
    const missing = Object.entries(paths).flatMap(([path, methods]) => {
      const pattern = path.replace(/#.*/, '').replace(/\{\w+\}/g, '[^/?]+');
      return Object.keys(methods)
        .map((method) => `${method.toUpperCase()} ${path}`)
        .filter(
          (one) =>
            !requests.some((request) => new RegExp(`^${one.split(' ')[0]} .*\\}\\}${pattern}(\\?|$)`).test(request)),
        );
    });
    // Their URLs are made from others, or need a model.
    const elsewhere = /^(GET \/files\/|DELETE \/memories\/\{)/;
    expect(missing.filter((one) => !elsewhere.test(one))).toEqual([]);
  });

  it('says nothing of an error twice, and of one that it explains not what the response says', () => {
    const text = read('docs/troubleshooting.md').split('<!-- generated: errors -->')[1]!;
    const repeats = (texts: string[]) => texts.filter((one, at) => texts.indexOf(one) < at);
    const causes = all(text, /^\*\*\d+\*\*: (.+)$/gm).map(([cause]) => cause!);
    expect(repeats(causes)).toEqual([]);
    expect(causes.flatMap((cause) => repeats(cause.split(/(?<=[.!?]) /)))).toEqual([]);
    const errors = Object.entries<ErrorDefinition>(ERRORS);
    const explained = errors
      .filter(([, { docs }]) => docs)
      .map(([name, { code = name, status }]) => `${code} ${status}`);
    const repeated = errors.filter(([name, { code = name, status, message }]) => {
      const [, section = ''] = text.split(`### ${code}\n`);
      const [, cause = ''] = section.split(`**${status}**: `);
      return explained.includes(`${code} ${status}`) && cause.split('\n', 1)[0]!.includes(String(message));
    });
    expect(repeated.map(([name]) => name)).toEqual([]);
  });

  it('names no variable that the code does not know', () => {
    const code = [...['src', 'packages', 'test', 'examples'].flatMap(sources), '.ci/run', '.env.example', 'Dockerfile']
      .map(read)
      .join('\n');
    const unknown = pages.flatMap((page) =>
      all(read(page), /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g)
        .flat()
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(code))
        .map((name) => `${page}: ${name}`),
    );
    // Names of the reader's, of Android and of OpenTelemetry.
    const others = / (PROVIDER_LLM_KEY|CHAT_(KEY|PROJECT|URL)|RECORD_AUDIO|MODIFY_AUDIO_SETTINGS|OTEL_\w+)$/;
    expect(unknown.filter((one) => !others.test(one))).toEqual([]);
  });

  it('shows the actual indexes of messages', () => {
    const block = all(read('docs/database.md'), /^```js\n([^]*?)^```/gm)
      .flat()
      .find((code) => code.includes('unpublished_since'))!;
    const shown: unknown[] = [];
    const db = { messages: { createIndex: (key: object, options: object = {}) => shown.push([key, options]) } };
    // The block is for mongosh, which defines `db`.
    new Function('db', block)(db);
    const byKey = (one: unknown, other: unknown) => JSON.stringify(one).localeCompare(JSON.stringify(other));
    const real = MessageSchema.indexes().map(([key, { background: _, ...options }]) => [key, options]);
    expect(shown.sort(byKey)).toEqual(real.sort(byKey));
  });

  describe('deploy/shard.js', () => {
    /** Runs it as mongosh does. @param known what is sharded already */
    const shardedBy = (known: { _id: string; key: object; dropped?: boolean; unsplittable?: boolean }[] = []) => {
      const calls: unknown[] = [];
      const findOne = ({ _id }: { _id: string }) => known.find((one) => one._id === _id) ?? null;
      const db = {
        getName: () => 'chats',
        getSiblingDB: (name: string) => (name === 'config' ? { collections: { findOne } } : undefined),
        getCollection: (name: string) => ({ createIndex: (key: object) => calls.push(['index', name, key]) }),
      };
      const sh = {
        enableSharding: (name: string) => calls.push(['enable', name]),
        shardCollection: (name: string, key: object) => calls.push(['shard', name, key]),
      };
      new Function('db', 'sh', 'print', read('deploy/shard.js'))(db, sh, () => undefined);
      return calls;
    };
    const [messages, chunks] = [{ project_id: 1, user_id: 1 }, { files_id: 'hashed' }];

    it('shards messages and files, each after its index', () => {
      expect(shardedBy()).toEqual([
        ['enable', 'chats'],
        ['index', 'messages', messages],
        ['shard', 'chats.messages', messages],
        ['index', 'files.chunks', chunks],
        ['shard', 'chats.files.chunks', chunks],
      ]);
    });

    it('does nothing again, and goes on after an interruption', () => {
      const done = [
        { _id: 'chats.messages', key: messages },
        { _id: 'chats.files.chunks', key: chunks },
      ];
      expect(shardedBy(done)).toEqual([['enable', 'chats']]);
      expect(shardedBy(done.slice(0, 1)).at(-1)).toEqual(['shard', 'chats.files.chunks', chunks]);
      expect(shardedBy([{ ...done[0]!, dropped: true }, done[1]!]).at(-1)).toEqual([
        'shard',
        'chats.messages',
        messages,
      ]);
    });

    it('refuses another key', () => {
      expect(() => shardedBy([{ _id: 'chats.messages', key: { _id: 1 } }])).toThrow(
        'chats.messages is sharded by {"_id":1}',
      );
    });

    it('has a prefix of all unique indexes of messages', () => {
      const unique = MessageSchema.indexes().filter(([, options]) => options.unique);
      expect(unique.map(([key]) => Object.keys(key).slice(0, 2))).toEqual(unique.map(() => Object.keys(messages)));
      expect(unique.length).toBeGreaterThan(0);
    });
  });

  it('shows a catalogue that can be applied in addition to the default one', () => {
    const none = { avatars: [], languages: [], projects: [] };
    const { avatars, languages } = parseCatalogueFile(read('catalogue/default.json'), none);
    const [[shown = ''] = []] = all(read('docs/catalogue.md'), /^```json\n([^]*?)^```/gm);
    expect(parseCatalogueFile(shown, { avatars, languages, projects: [] }).projects).toHaveLength(1);
  });

  it('shows the same Jest configuration of a CommonJS host as the example', () => {
    const [[shown] = []] = all(read('docs/extending.md'), /^```js\n\/\/ jest\.config\.cjs\n([^]*?)^```/gm);
    expect(shown).toBe(read('examples/express-host/jest.config.cjs'));
  });

  it('shows the actual files of the example module', () => {
    const example = 'examples/ratings';
    const shown = all(read('docs/extending.md'), /^```ts\n\/\/ (src\/[\w.]+)\n([^]*?)^```/gm);
    expect(shown.length).toBeGreaterThan(3);
    for (const [file, text] of shown) expect(text).toBe(read(join(example, file!)));
  });
});
