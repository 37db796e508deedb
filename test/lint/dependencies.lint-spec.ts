import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file: string) => readFileSync(file, 'utf8');
type Kind = 'dependencies' | 'peerDependencies' | 'optionalDependencies' | 'devDependencies';
const manifest = (directory: string) =>
  JSON.parse(read(join(directory, 'package.json'))) as Record<Kind, Record<string, string>>;
const { dependencies, peerDependencies, devDependencies } = manifest('.');
const OPTIONAL = ['.', 'packages/media', 'packages/model-files', 'packages/video'];
const optionalDependencies = Object.assign(
  {},
  ...OPTIONAL.map((name) => manifest(name).optionalDependencies),
) as Record<string, string>;
const running = [{ ...dependencies, ...peerDependencies }, optionalDependencies].flatMap((some) =>
  Object.keys(some).sort(),
);

describe('the runtime dependencies', () => {
  it('are those in docs/dependencies.md, each with a reason, in order', () => {
    const [, list = ''] = /## What runs\n([^]*?)\n## /.exec(read('docs/dependencies.md')) ?? [];
    expect([...list.matchAll(/^- `([^`]+)`: \S/gm)].map(([, name]) => name)).toEqual(running);
  });

  it('are each used by the service itself', () => {
    const code = ['src', ...['media', 'model-files', 'models', 'video'].map((name) => join('packages', name, 'src'))]
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map(read)
      .join('\n');
    const unused = running.filter((name) => !new RegExp(`'${name}(/[^']+)?'`).test(code));
    // Called by the compiled output of decorators.
    expect(unused).toEqual(['reflect-metadata']);
  });

  it('have exact versions, or ranges if a host provides them', () => {
    expect(Object.values(peerDependencies).filter((range) => !/^\^\d/.test(range))).toEqual([]);
    const all = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies });
    expect(all.filter(([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('and Fastify, of which only types are used, is the one that Nest depends on', () => {
    const platform = JSON.parse(read('node_modules/@nestjs/platform-fastify/package.json')) as {
      dependencies: { fastify: string };
    };
    expect(devDependencies.fastify).toBe(platform.dependencies.fastify);
  });
});

describe.each(readdirSync('packages').map((name) => join('packages', name)))('%s', (directory) => {
  it('declares the packages of this repository that it imports', () => {
    const { dependencies, peerDependencies, optionalDependencies, devDependencies } = manifest(directory);
    const declared = { ...dependencies, ...peerDependencies, ...optionalDependencies, ...devDependencies };
    const imported = readdirSync(join(directory, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .flatMap((file) => [...read(join(directory, 'src', file)).matchAll(/(?:from|import\()\s*'(avatar-chat-[\w-]+)/g)])
      .map(([, name]) => name!);
    // The types and bundlers find them without that, and a consumer does not.
    expect([...new Set(imported)].filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
  });
});
