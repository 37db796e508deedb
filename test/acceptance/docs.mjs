/**
 * Runs every command of the documentation, page by page, in a fresh copy of the repository:
 *
 *     ```sh                   has to succeed
 *     ```sh service           starts a service, has to print where it listens, and runs to the end of the page
 *     ```console              `$` commands, whose output has to match the page
 *     ```sh not-run: REASON   is not run, for the given reason; also with console
 *     ```json FILE            in any other language: is written to that file, for the commands that follow
 *
 * In expected output, `…` matches anything, and identifiers, secrets, dates and tokens match any other. Ports are replaced,
 * because those of the pages may be in use. `npm ci` and builds are skipped: the copy has the packages and the build of this directory. A page that
 * uses the service without starting it finds one running, and a token of user-1 in TOKEN; a page that uses MongoDB's port finds a database there.
 * docs/requests.http is run by `npm run verify -- requests`.
 *
 *   npm run verify -- docs [PAGE…]
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { aWav } from '../support/wav.mjs';
import { fail, parseArgs } from '../../scripts/arguments.mjs';
import '../../scripts/ensure-built.mjs';
import { directory, freePort, Report, startDatabase } from './harness.mjs';

const REQUESTS = 'docs/requests.http';
const SECONDS_A_PAGE = 600;
const SECONDS_TO_START = 180;

const copy = join(directory, 'copy');
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const files = tracked.split('\0').filter((file) => file && existsSync(file));
const { positionals } = parseArgs({ allowPositionals: true });
const pages = positionals.length > 0 ? positionals : files.filter((file) => file.endsWith('.md') || file === REQUESTS);
const missing = pages.filter((page) => !files.includes(page));
if (missing.length > 0)
  fail(`There is no page ${missing.join(', ')}. A page is named by its path, such as docs/client.md.`);
const report = new Report('npm run verify -- docs');
for (const file of files) cpSync(file, join(copy, file), { recursive: true, verbatimSymlinks: true });
// A tenth of a second of silence. Its bytes determine the file type.
writeFileSync(
  join(copy, 'recording.webm'),
  aWav(8000, 800, () => 0),
);
const [port, databasePort, otherPort] = [await freePort(), await freePort(), await freePort()];
let faults = 0;
let ran = 0;

function blocksOf(page) {
  const text = readFileSync(join(copy, page), 'utf8');
  return [...text.matchAll(/^```(\w*)(?: (.+))?\n([^]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    kind: match[1],
    info: match[2] ?? '',
    code: match[3],
  }));
}

const withPorts = (text) =>
  text
    .replace(/(127\.0\.0\.1|localhost):3000/g, `$1:${port}`)
    .replace(/:27017\b/g, `:${databasePort}`)
    .replace(/--port 27018\b/g, `--port ${otherPort}`);

/** The commands of a transcript, each with its output. */
function transcript(code) {
  /** @type {{ command: string, printed: string }[]} */
  const steps = [];
  let open = false;
  for (const line of code.split('\n').slice(0, -1)) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), printed: '' });
    else if (open) steps[steps.length - 1].command += `\n${line}`;
    else steps[steps.length - 1].printed += `${line}\n`;
    open = (open || line.startsWith('$ ')) && line.endsWith('\\');
  }
  return steps;
}

/** Masks the parts that differ each time. */
const normal = (text) =>
  withPorts(text)
    .replace(/eyJ[\w.…-]+/g, '<token>')
    .replace(/\b[0-9a-f]{24}\b/g, '<id>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '<uuid>')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\b\d{13}\b/g, '<date>')
    .replace(/(?<=")[\w-]{43}(?=")|^[\w-]{43}$|(?<=")[\w-]{22}(?=")|whsec_[\w+/=]+/gm, '<secret>')
    .trim();

function isAsShown(shown, seen) {
  const pattern = normal(shown)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^]*?');
  return new RegExp(`^${pattern}$`).test(normal(seen));
}

/** The page as one Bash script, because a block may use what an earlier one has set. */
function scriptOf(blocks, out) {
  const lines = [
    'set -euo pipefail',
    'services=()',
    // A service takes a second or two to exit, and the next page needs its port and its data. A process that `nest start --watch`
    // has restarted meanwhile does not exit by itself.
    `end() {
  for one in "\${services[@]}"; do kill -- "-$one" 2>/dev/null || true; done
  for one in "\${services[@]}"; do
    for _ in $(seq 100); do kill -0 -- "-$one" 2>/dev/null || break; sleep 0.1; done
    kill -KILL -- "-$one" 2>/dev/null || true
  done
  wait
}`,
    'trap end EXIT',
    // Skip what was already done, and what would check for a build before each command.
    `npm() {
  case "$*" in
    ci | 'run build') ;;
    'run --silent cli -- '*) shift 4; node dist/programs/cli.js "$@" ;;
    *) command npm "$@" ;;
  esac
}; export -f npm`,
    // Show failures, as a reader would notice them.
    'curl() { command curl --fail-with-body "$@"; }',
    // Most pages assume a service that has been started before.
    'if [ -f dist/programs/cli.js ]; then node dist/programs/cli.js project list >/dev/null; fi',
    `service() {
  setsid bash "$1" >"$1.log" 2>&1 & services+=($!)
  for _ in $(seq ${SECONDS_TO_START * 5}); do
    if grep -Eq 'listening on http|mongodb://' "$1.log"; then return; fi
    kill -0 "$!" 2>/dev/null || break
    sleep 0.2
  done
  cat "$1.log"; return 1
}`,
  ];
  const commands = blocks.filter(({ kind, info }) => /^(sh|console)$/.test(kind) && !info.startsWith('not-run'));
  const talks = commands.some(({ code }) => /(127\.0\.0\.1|localhost):3000/.test(code));
  if (talks && !commands.some(({ info }) => info === 'service')) {
    writeFileSync(join(out, 'start'), 'npm start\n');
    const ask = `curl -s http://127.0.0.1:${port}/jwt -H 'Content-Type: application/json' -d '{"user_id":"user-1"}'`;
    lines.push(`service ${join(out, 'start')}`, `TOKEN=$(${ask} | cut -d'"' -f8)`);
  }
  for (const [n, { kind, info, code, line }] of blocks.entries()) {
    lines.push(`echo "line ${line}" >${join(out, 'at')}`);
    if (/^[\w./-]+$/.test(info) && !/^(sh|console)$/.test(kind))
      lines.push(`mkdir -p "$(dirname '${info}')"; cat >'${info}' <<'END_OF_FILE'\n${withPorts(code)}END_OF_FILE`);
    else if (!commands.includes(blocks[n])) continue;
    else if (info === 'service') {
      writeFileSync(join(out, `block-${n}`), withPorts(code));
      lines.push(`service ${join(out, `block-${n}`)}`);
    } else if (kind === 'sh') lines.push(withPorts(code));
    else {
      for (const [step, { command }] of transcript(code).entries())
        lines.push(`{ ${withPorts(command)}\n} >${join(out, `${n}.${step}`)} 2>&1 || true`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function runRequests() {
  ran++;
  const program = fileURLToPath(new URL('requests.mjs', import.meta.url));
  if (spawnSync(process.execPath, [program], { stdio: 'inherit' }).status !== 0) faults++;
}

async function runPage(page) {
  const blocks = blocksOf(page);
  const commands = blocks.filter(({ kind }) => kind === 'sh' || kind === 'console');
  if (commands.length === 0) return;
  const started = performance.now();
  const out = join(directory, 'out', page.replaceAll('/', '-'));
  mkdirSync(out, { recursive: true });
  for (const left of ['data', 'data.backup', '.env', 'secrets'])
    rmSync(join(copy, left), { recursive: true, force: true });
  const script = join(out, 'page.sh');
  writeFileSync(script, scriptOf(blocks, out));
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    SPEECH_MODELS: 'off',
  };
  const child = spawn('bash', [script], { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = () => process.kill(-Number(child.pid), 'SIGTERM'); // its services too, by the trap
  process.once('exit', end);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (printed += piece));
  const timer = setTimeout(end, SECONDS_A_PAGE * 1000);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  process.removeListener('exit', end);
  console.log(`${page}: ${Math.round((performance.now() - started) / 1000)} s`);
  if (code !== 0) {
    faults++;
    const at = readFileSync(join(out, 'at'), 'utf8').trim();
    console.log(`${page}, ${at}: ended with ${code}\n${printed.split('\n').slice(-15).join('\n')}`);
  }
  for (const [n, { kind, info, code: shown, line }] of blocks.entries()) {
    if (kind !== 'sh' && kind !== 'console') continue;
    if (info.startsWith('not-run')) {
      console.log(`${page}, line ${line}: ${info}`);
      continue;
    }
    ran++;
    if (kind === 'sh') continue;
    for (const [step, { command, printed: expected }] of transcript(shown).entries()) {
      const file = join(out, `${n}.${step}`);
      const seen = existsSync(file) ? readFileSync(file, 'utf8') : '(not run)';
      if (isAsShown(expected, seen)) continue;
      faults++;
      console.log(`${page}, line ${line}: $ ${command}\nshown:\n${normal(expected)}\nseen:\n${normal(seen)}\n`);
    }
  }
}

// The build of this directory. Copied last, so it is newer than the sources.
for (const built of ['dist', ...readdirSync('packages').map((name) => join('packages', name, 'dist'))])
  if (existsSync(built)) cpSync(built, join(copy, built), { recursive: true });
// The installed packages of this directory, as hard links if the file system supports them.
execFileSync('sh', ['-c', 'cp -al node_modules "$0" 2>/dev/null || cp -a node_modules "$0"', copy]);
const database = await startDatabase(':memory:', databasePort);
for (const page of pages) await (page === REQUESTS ? runRequests() : runPage(page));
await database.stop();
report.row('Command blocks of the documentation that do not do what it says', 0, `${faults} of ${ran}`, faults === 0);
report.end();
