/**
 * Do all packages that can run in production have an allowed license? Does the service run without its optional
 * packages, and report what is missing?
 *
 *   npm run verify -- dependencies
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from '../../scripts/sbom.mjs';
import { ask, directory, LISTENING, Report, start, startDatabase, tokenOf } from './harness.mjs';

const ALLOWED =
  /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Python-2\.0|CC0-1\.0|CC-BY-3\.0|MPL-2\.0|Zlib)$/;
/** The exceptions that docs/dependencies.md explains. */
const EXCEPTIONS = { '@audio/decode-aac': 'GPL-2.0', '@echogarden/espeak-ng-emscripten': 'GPL-3.0' };
/** Packages whose package.json names none, by what their LICENSE says. */
const UNNAMED = { duck: 'BSD-2-Clause' };

const report = new Report('npm run verify -- dependencies');

const { components, dependencies } = billOfMaterials();
const licencesOf = ({ name, licenses = [] }) =>
  licenses.length === 0 && UNNAMED[name]
    ? [UNNAMED[name]]
    : licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
/** Of an expression of SPDX: one that the user may choose, or all that hold together. */
const isAllowed = (/** @type {string} */ licence) => {
  const inner = licence.replace(/^\((.*)\)$/, '$1');
  if (inner.includes(' OR ')) return inner.split(' OR ').some((one) => ALLOWED.test(one));
  return inner.split(' AND ').every((one) => ALLOWED.test(one));
};
const refused = components.filter((component) => {
  const licences = licencesOf(component);
  if (licences.length === 1 && EXCEPTIONS[component.name] === licences[0]) return false;
  return licences.length === 0 || !licences.every(isAllowed);
});
for (const component of refused) console.log(`${component['bom-ref']}: ${licencesOf(component).join(', ') || 'none'}`);

const listed = new Set(components.map((component) => component['bom-ref']));
const missing = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !listed.has(ref))).size;
report.row('Packages that the bill of materials lacks', 0, missing, missing === 0);
report.row(
  `Packages that run, of any system, with a licence that is not allowed (but for ${Object.keys(EXCEPTIONS).length} exceptions)`,
  0,
  `${refused.length} of ${components.length}`,
  refused.length === 0,
);

// The service without them, in a directory of its own. The database runs from the work tree.
const bare = join(directory, 'bare');
mkdirSync(bare);
for (const part of ['package.json', 'package-lock.json', '.npmrc', 'dist', 'assets', 'catalogue', 'packages'])
  cpSync(part, join(bare, part), { recursive: true });
const left = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
execFileSync('npm', ['ci', ...left], { cwd: bare, stdio: ['ignore', 'ignore', 'inherit'] });
// A package of this checkout is installed whatever is omitted. Without sound, no video is asked of it: the service starts.
rmSync(join(bare, 'node_modules/avatar-chat-video'));
const absent = Object.keys(EXCEPTIONS).every((name) => !existsSync(join(bare, 'node_modules', name)));

const database = await startDatabase();
const settings = { PORT: '0', DATA_DIR: directory, MONGODB_URI: database.uri };
const service = await start(process.execPath, [join(bare, 'dist/main.js')], settings, LISTENING);
const port = Number(new URL(service.match[1]).port);
const token = await tokenOf(port);
const turn = (chat_type) =>
  ask(port, '/chat', { method: 'POST', token, body: { avatar_id: 'ada', request: 'Hello!', chat_type } });
const turns = [await turn('text'), await turn('voice'), await turn('voice'), await turn('video')];
const answered = turns.filter(({ status, body }) => status === 201 && body.incoming.answer);
const spoken = answered.filter(({ body }) => body.incoming.fileUrl);
const said = service.output.out.split('Answers are not spoken').length - 1;
await service.stop();
await database.stop();

report.row('Turns answered without the optional packages', '4 of 4', `${answered.length} of 4`, answered.length === 4);
report.row('of which have sound', 0, spoken.length, absent && spoken.length === 0);
report.row('Lines of the log that say so', 1, said, said === 1);
report.end();
