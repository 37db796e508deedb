/**
 * Does the Dockerfile make an image that works? Where there is no engine that could say so, its instructions are carried
 * out in directories: the same files are copied, through .dockerignore, and the same commands run. What comes of it is
 * started as another user than root, before a database, and asked by its health check.
 *
 *   npm run verify:image [-- --without-optional]
 *
 * The base image is not there: Node and the system are those of this machine.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from './dockerfile.mjs';
import { ask, directory, freePort, Report, start, startDatabase, tokenOf } from './harness.mjs';

const { values } = parseArgs({ options: { 'without-optional': { type: 'boolean', default: false } } });
const SECONDS_TO_HEALTH = 30;
/** What the last stage may hold. */
const CONTENT = ['assets', 'catalogue', 'dist', 'node_modules', 'package.json', 'scripts'];

const bare = values['without-optional'];
const report = new Report(`npm run verify:image${bare ? ' -- --without-optional' : ''}`);
const stages = join(directory, 'stages');
mkdirSync(stages);
chmodSync(directory, 0o755);
const image = build(process.cwd(), stages, bare ? { OMIT: '--omit=dev --omit=optional' } : {});
report.row('Instructions of the Dockerfile carried out', '–', image.instructions);

const filesUnder = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const own = CONTENT.filter((name) => name !== 'node_modules' && name !== 'package.json');
const files = own.flatMap((name) => filesUnder(join(image.workdir, name)));
const packages = filesUnder(join(image.workdir, 'node_modules'));
const megabytes = (list) => `${(list.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6).toFixed(0)} MB`;
const strangers = [
  ...readdirSync(image.workdir).filter((name) => !CONTENT.includes(name)),
  ...files.filter((file) => /\.(spec|test|e2e-spec)\.|\/\.env/.test(file)),
  ...['jest', 'prettier', '@nestjs/cli'].filter((name) =>
    packages.some((file) => file.includes(`/node_modules/${name}/`)),
  ),
];
report.row('Files that do not belong in the image', 0, strangers.length, strangers.length === 0);
for (const stranger of strangers) console.log(stranger);
report.row('Its packages, and the rest', '–', `${megabytes(packages)}, ${megabytes(files)}`);

const [uid, gid] = image.user.split(':').map(Number);
report.row('Its user', 'a number, not root', image.user, uid > 0 && gid > 0);
const asUser = process.getuid?.() === 0 ? { uid, gid } : {};

const database = await startDatabase();
const port = await freePort();
const env = {
  PATH: process.env.PATH,
  ...image.env,
  PORT: String(port),
  MONGODB_URI: database.uri,
  JWT_SECRET: randomBytes(32).toString('hex'),
  RATE_LIMIT: 'off',
};
const command = (words) => [words[0] === 'node' ? process.execPath : words[0], words.slice(1)];
const isHealthy = (...more) => {
  const [program, args] = command([...image.healthCheck, ...more]);
  return spawnSync(program, args, { cwd: image.workdir, env, ...asUser }).status === 0;
};

report.row('The health check before the start', 'fails', isHealthy() ? 'passes' : 'fails', !isHealthy());
const started = performance.now();
const service = await start(...command(image.command), env, /listening on/, { cwd: image.workdir, ...asUser });
while (!isHealthy('/health/ready') && performance.now() - started < SECONDS_TO_HEALTH * 1000) await sleep(200);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
const healthy = isHealthy() && isHealthy('/health/ready');
report.row(
  'The health check after it',
  `passes within ${SECONDS_TO_HEALTH} s`,
  healthy ? `passes, ${seconds} s` : 'fails',
  healthy,
);

const runsAs = spawnSync('ps', ['-o', 'uid=', '-p', String(service.child.pid)], { encoding: 'utf8' }).stdout.trim();
report.row('The process runs as', 'not root', `user ${runsAs}`, runsAs !== '0');
const token = await tokenOf(port);
const turn = (chat_type) =>
  ask(port, '/chat', { method: 'POST', token, body: { avatar_id: 'ada', request: 'Hello!', chat_type } });
const [text, voice] = [await turn('text'), await turn('voice')];
report.row('A turn by text', 201, text.status, text.status === 201);
const spoken = voice.body?.incoming?.fileUrl !== undefined;
report.row(
  'A turn by voice',
  `201 ${bare ? 'without' : 'with'} sound`,
  `${voice.status} ${spoken ? 'with' : 'without'} sound`,
  voice.status === 201 && spoken !== bare,
);
const code = await service.stop();
report.row('Exit status after SIGTERM', 0, code, code === 0);
report.row('The health check then', 'fails', isHealthy() ? 'passes' : 'fails', !isHealthy());
await database.stop();
report.end();
