/**
 * Makes a release in .cache/release/VERSION: the packages as npm publishes them, checked; the bill of materials; checksums;
 * and notes with the changes and where the packages come from. Then it commits the version and tags it. It publishes nothing.
 *
 *   npm run release -- [VERSION] [--dry-run]
 *
 * VERSION is that of CHANGELOG.md's unreleased heading by default. With --dry-run, neither files nor tags change; at the commit of
 * a tag, it makes the files of that release once more.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from './arguments.mjs';
import { faultsOf } from '../test/acceptance/packed.mjs';
import { billOfMaterials } from './sbom.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const git = (...args) => run('git', ...args).trim();
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
function refuse(reason) {
  console.error(reason);
  process.exit(1);
}

const folders = ['.', ...json('package.json').workspaces];
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [heading = '', newest = '', day = ''] = /^## \[(.+?)\] – (unreleased|[\d-]+)$/m.exec(changelog) ?? [];
const version = positionals[0] ?? newest;
const tag = `v${version}`;
if (!/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/.test(version)) refuse(`${version} is not a version.`);
if (git('status', '--porcelain')) refuse('Commit or discard your changes first.');
const tagged = git('tag', '--list', tag) && git('rev-list', '--max-count=1', tag);
/** The files of a release are made once more, to compare them. */
const isRepetition = values['dry-run'] && tagged === git('rev-parse', 'HEAD');
if (tagged && !isRepetition) refuse(`There is a tag ${tag} already.`);
if (day !== 'unreleased' && !isRepetition) refuse('CHANGELOG.md has no heading of an unreleased version.');
const date = isRepetition ? day : new Date().toISOString().slice(0, 10);
const [changes = ''] = changelog.slice(changelog.indexOf(heading) + heading.length).split(/^## /m);
if (!changes.trim()) refuse('CHANGELOG.md says nothing about this version.');

try {
  await make(join('.cache/release', version));
  if (!values['dry-run']) {
    git('commit', '--all', '--message', `Release ${version}`);
    git('tag', '--annotate', tag, '--message', `Version ${version}`);
  }
} finally {
  if (git('status', '--porcelain')) git('checkout', '--quiet', '--', '.');
}
const next = values['dry-run'] ? 'Without --dry-run, this commits and tags it' : 'Push it by `git push --follow-tags`';
console.log(`${next}; .cache/release/${version}/NOTES.md says how to publish it.`);

/** Everything of the release, from the present commit. @param {string} place */
async function make(place) {
  const commit = git('rev-parse', 'HEAD');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  setVersion();
  writeFileSync('CHANGELOG.md', changelog.replace(heading, `## [${version}] – ${date}`));
  run('npm', 'run', '--silent', 'build');
  run('npm', 'run', '--silent', 'build', '--workspace', 'packages/client');
  const scratch = mkdtempSync(join(tmpdir(), 'release-'));
  const published = folders.filter((folder) => folder === '.' || !json(join(folder, 'package.json')).private);
  for (const folder of published) {
    const pack = ['pack', `./${folder}`, '--json', '--ignore-scripts', '--pack-destination', place];
    const [{ name, filename, entryCount, size }] = JSON.parse(run('npm', ...pack));
    const faults = await faultsOf(join(place, filename), join(scratch, name));
    console.log(`${filename}: ${entryCount} files, ${Math.ceil(size / 1024)} KiB`);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
  rmSync(scratch, { recursive: true });
  writeFileSync(join(place, 'sbom.json'), `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
  const digestOf = (file) =>
    createHash('sha256')
      .update(readFileSync(join(place, file)))
      .digest('hex');
  const sums = readdirSync(place).map((file) => `${digestOf(file)}  ${file}\n`);
  writeFileSync(join(place, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(place, 'NOTES.md'), notes(commit, sums));
}

/** In all packages, where they name each other, and in the lock. */
function setVersion() {
  if (version === json('package.json').version) return;
  const names = folders.map((folder) => json(join(folder, 'package.json')).name);
  for (const file of [...folders.map((folder) => join(folder, 'package.json')), 'package-lock.json']) {
    const text = readFileSync(file, 'utf8').replace(
      /("name": "([^"]+)",\n\s+"version": )"[^"]+"/g,
      (all, before, name) => (names.includes(name) ? `${before}"${version}"` : all),
    );
    const named = new RegExp(`("(?:${names.join('|')})": )"\\d[^"]*"`, 'g');
    writeFileSync(file, text.replace(named, `$1"${version}"`));
  }
}

/** @param {string} commit @param {string[]} sums */
function notes(commit, sums) {
  return `# ${version}, ${date}
${changes.trimEnd()}

## Where it comes from

Made from commit \`${commit}\` with Node ${process.version} and npm ${run('npm', '--version').trim()}, on ${process.platform} ${process.arch}. To make it again: \`git checkout ${tag} && npm ci && npm run release -- --dry-run\`. SHA-256:

\`\`\`
${sums.join('')}\`\`\`

\`sbom.json\` lists everything that can run in production (CycloneDX). To publish: \`npm publish FILE.tgz --access public\` for each package, those without dependencies on others first; in a workflow that npm trusts, with \`--provenance\`, which signs where the package was built.
`;
}
