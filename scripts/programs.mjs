/**
 * Bundles the service and its command line into dist/programs: they start in half the time and with less memory than
 * from some 2,000 files. They do the same as dist/main.js and dist/cli.js, which are published.
 *
 *   node scripts/programs.mjs
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const OUT = 'dist/programs';
const optionalOf = async (directory) =>
  Object.keys(JSON.parse(await readFile(`packages/${directory}/package.json`, 'utf8')).optionalDependencies);
/** Stay packages of their own: what may be left out or replaced, native code, threads that load files by name. */
const EXTERNAL = [
  'avatar-chat-video',
  ...(await optionalOf('media')),
  ...(await optionalOf('model-files')),
  ...(await optionalOf('knowledge')),
  // That of the service and of what is left out: threads are started by one.
  'avatar-chat-runtime/processes',
  'lmdb',
  'pino',
  // Optional parts of the database driver, loaded if installed.
  'kerberos',
  '@mongodb-js/zstd',
  '@aws-sdk/credential-providers',
  'gcp-metadata',
  'snappy',
  'socks',
  'mongodb-client-encryption',
];
/** Optional parts of Nest that the service does not use. In a bundle they would need a second copy of Nest. */
const ABSENT =
  /^(@nestjs\/(microservices|websockets|platform-express|platform-socket\.io|config)|class-transformer\/storage|@fastify\/view)(\/|$)/;

/** Compiled files find others by their own location, which stays what it was. */
const ownLocation = {
  name: 'own-location',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/.*\.js$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const source = await readFile(path, 'utf8');
      if (/import\.meta\.(?!url)/.test(source)) throw new Error(`${path}: of import.meta, only url is known here.`);
      const location = `new URL(${JSON.stringify(relative(OUT, path))}, import.meta.url).href`;
      const contents = source.replaceAll('import.meta.url', location);
      return { contents, loader: 'js' };
    });
  },
};

const absent = {
  name: 'absent',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: ABSENT }, ({ path }) => ({ path, namespace: 'absent' }));
    onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: `throw Object.assign(new Error("Cannot find module '${path}'"), { code: 'MODULE_NOT_FOUND' });`,
    }));
  },
};

/** Large tables in memory that are seldom needed: of passwords, telephone numbers. */
const SELDOM = /^(@mongodb-js\/saslprep|libphonenumber-js\/max)$/;

/** Loads a package in CommonJS when something of it is first used. */
const onUse = {
  name: 'on-use',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: SELDOM }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== 'require-call' || pluginData === 'whole') return undefined;
      const whole = await resolve(path, { kind, resolveDir, pluginData: 'whole' });
      return { path: whole.path, namespace: 'on-use' };
    });
    onLoad({ filter: /.*/, namespace: 'on-use' }, ({ path }) => ({
      contents: `module.exports = new Proxy({ __esModule: true }, {
        get: (target, name) => (name in target ? target[name] : require(${JSON.stringify(path)})[name]),
      });`,
      resolveDir: dirname(path),
    }));
  },
};

await build({
  entryPoints: ['main', 'cli'].map((name) => join('dist', `${name}.js`)),
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // What is compiled, not the sources that tsconfig.json maps packages to.
  tsconfigRaw: '{}',
  // Names of classes identify providers and errors.
  keepNames: true,
  external: EXTERNAL,
  plugins: [ownLocation, absent, onUse],
  // What packages in CommonJS expect.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url); const __filename = import.meta.filename; const __dirname = import.meta.dirname;",
  },
  logLevel: 'error',
});

/** Gives each function its name again as it is created, which costs up to a tenth of the time of a short request. */
const SETS_NAME = '=> __defProp(target, "name", { value, configurable: true });';
const SETS_OTHER_NAME = '=> target.name === value ? target : __defProp(target, "name", { value, configurable: true });';
/** After a declaration that still has its name. */
const SAME_NAME = /^\s*__name\((\w+), "\1"\);\n/gm;
/** Around an arrow function: it identifies nothing, but for `type: () => …` of a field in the OpenAPI document. */
const OF_ARROW = /(?<!\btype: (?:\/\* @__PURE__ \*\/ )?)__name\((?=(?:async )?(?:\([^()]*\)|\w+) =>)/g;
let helpers = 0;
for (const name of await readdir(OUT)) {
  const file = join(OUT, name);
  if (!name.endsWith('.js')) continue;
  const code = await readFile(file, 'utf8');
  if (code.includes(SETS_NAME)) helpers++;
  const changed = code
    .replace(SETS_NAME, () => SETS_OTHER_NAME)
    .replace(SAME_NAME, '')
    .replace(OF_ARROW, '__unnamed(');
  const isUsed = changed !== code && changed.includes('__unnamed(');
  await writeFile(file, isUsed ? `${changed}\nfunction __unnamed(target) { return target; }\n` : changed);
}
if (helpers === 0) throw new Error('esbuild sets names in another way now.');
