import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file: string) => readFileSync(file, 'utf8');
const { dependencies, peerDependencies, optionalDependencies, devDependencies } = JSON.parse(
  read('package.json'),
) as Record<'dependencies' | 'peerDependencies' | 'optionalDependencies' | 'devDependencies', Record<string, string>>;
const running = [...Object.keys({ ...dependencies, ...peerDependencies }).sort(), ...Object.keys(optionalDependencies)];

describe('the dependencies that run', () => {
  it('each have a reason in docs/dependencies.md, in their order, and no other package has', () => {
    const [, list = ''] = /## What runs\n([^]*?)\n## /.exec(read('docs/dependencies.md')) ?? [];
    expect([...list.matchAll(/^- `([^`]+)`: \S/gm)].map(([, name]) => name)).toEqual(running);
  });

  it('are each used by the service itself', () => {
    const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => read(join('src', file)))
      .join('\n');
    const unused = running.filter((name) => !new RegExp(`'${name}(/[^']+)?'`).test(code));
    // What the compiler makes of decorators calls it.
    expect(unused).toEqual(['reflect-metadata']);
  });

  it('have exact versions, or ranges if a host brings them', () => {
    expect(Object.values(peerDependencies).filter((range) => !/^\^\d/.test(range))).toEqual([]);
    const all = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies });
    expect(all.filter(([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('and Fastify, whose types alone are used, is the one that Nest brings', () => {
    const platform = JSON.parse(read('node_modules/@nestjs/platform-fastify/package.json')) as {
      dependencies: { fastify: string };
    };
    expect(devDependencies.fastify).toBe(platform.dependencies.fastify);
  });
});
