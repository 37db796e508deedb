/**
 * Compares the processor time per request of this build with that of others, such as the last release, on one database; with
 * --tracing, with itself: again, with a collector of traces, and with a collector that hangs.
 *
 *   taskset -c 0 node bench/compare.mjs --with DIRECTORY [--with …] [--tracing] [--starts 4] [--pairs 20] [--amount 400] [--warmup 8000] [--only chat-100,chat-20,chat-deep,connection,jwt,turn] [--floor]
 *
 * DIRECTORY is a checkout with its packages and its build. The builds alternate in short rounds, in both
 * orders, after each of several starts. Prints the medians, and the medians of the ratios per round with a 95 %
 * confidence interval. With taskset all programs share a processor: waking a sleeping program costs the program that wakes it,
 * so the cost of a request depends on how idle the others are.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startDatabase } from '../test/support/processes.mjs';
import { installSdk, startCollector } from '../test/support/telemetry.mjs';
import { fill, USERS } from './data.mjs';
import { measure, median } from './load.mjs';
import { startFloor, startService } from './subjects.mjs';

/** @type {Record<string, (subject: any) => any>} */
const WORKS = {
  'chat-100': (s) => s.chat('per_page=100'),
  'chat-20': (s) => s.chat('per_page=20'),
  'chat-deep': (s) => s.chat('per_page=20&page=10'),
  connection: (s) => s.connection(),
  jwt: (s) => s.jwt(),
  turn: (s) => s.turn(),
};
const RESAMPLES = 2000;

const { values } = parseArgs({
  options: {
    with: { type: 'string', multiple: true },
    starts: { type: 'string', default: '4' },
    pairs: { type: 'string', default: '20' },
    amount: { type: 'string', default: '400' },
    warmup: { type: 'string', default: '8000' },
    only: { type: 'string', default: Object.keys(WORKS).join(',') },
    floor: { type: 'boolean', default: false },
    tracing: { type: 'boolean', default: false },
  },
});
/** @type {{ name: string, directory: string, env?: Record<string, string> }[]} */
const others = (values.with ?? []).map((directory) => ({ name: basename(resolve(directory)), directory }));
if (values.tracing) {
  const NODE_PATH = installSdk();
  const [collector, hanging] = [await startCollector(() => undefined), await startCollector(undefined)];
  const tracedBy = ({ url }) => ({ directory: '.', env: { NODE_PATH, OTEL_EXPORTER_OTLP_ENDPOINT: url } });
  others.push({ name: 'again', directory: '.' });
  others.push({ name: 'traced', ...tracedBy(collector) }, { name: 'hanging', ...tracedBy(hanging) });
}
if (others.length === 0) throw new Error('--with DIRECTORY: the build to compare with');
const amount = Number(values.amount);
const works = values.only.split(',');
/** Microseconds per request, of all rounds, by work and name. @type {Map<string, Map<string, number[]>>} */
const seen = new Map(works.map((work) => [work, new Map()]));

/**
 * Starts all programs, each with a database of its own, and measures them. JIT compilation differs from process to process,
 * and the last one to start is up to a tenth cheaper: each start begins with another one.
 */
async function measureAll(start) {
  const database = await startDatabase(':memory:', 0, { stderr: 'inherit' });
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-compare-'));
  const subjects = [];
  const builds = [...others, { name: 'this', directory: '.', env: {} }];
  const order = builds.map((_, i) => builds[(start + i) % builds.length]);
  for (const { name, directory, env: more } of order) {
    const uri = `mongodb://127.0.0.1:${database.port}/${name}?directConnection=true`;
    const env = { DATA_DIR: join(dataDir, name), ...more };
    // Older builds are not bundled.
    const programs = ['dist/programs/main.js', 'dist/main.js'].map((file) => resolve(directory, file));
    const service = await startService(uri, USERS, env, programs.find(existsSync));
    await fill(uri);
    subjects.push({ ...service, name });
    if (name === 'this' && values.floor) subjects.push({ ...(await startFloor(uri, USERS)), name: 'floor' });
  }
  // Whoever has answered a turn has used the context of traces, which slows down promises for ever.
  for (const subject of subjects) if (subject.name !== 'floor') await measure(subject, subject.turn(), { amount: 200 });
  for (const work of works) {
    const requestsOf = WORKS[work];
    const measured = subjects.filter(({ name }) => name !== 'floor' || work !== 'turn');
    // V8 needs about 5,000 requests for a page of 100 before everything is compiled.
    for (const subject of measured) await measure(subject, requestsOf(subject), { amount: Number(values.warmup) });
    for (let round = 0; round < Number(values.pairs); round++)
      for (const subject of round % 2 ? measured.toReversed() : measured) {
        const { ms } = await measure(subject, requestsOf(subject), { amount });
        const all = seen.get(work)?.get(subject.name) ?? [];
        seen.get(work)?.set(subject.name, [...all, ms * 1000]);
      }
  }
  for (const subject of subjects) await subject.stop();
  await database.stop();
  rmSync(dataDir, { recursive: true });
}

/** The median of the ratios of pairs, with a 95 % confidence interval by bootstrap. */
function compare(these, others) {
  const quotients = these.map((one, i) => one / others[i]);
  const draw = () => quotients.map(() => quotients[Math.floor(Math.random() * quotients.length)]);
  const drawn = Array.from({ length: RESAMPLES }, () => median(draw())).sort((a, b) => a - b);
  const at = (share) => drawn[Math.floor(share * RESAMPLES)].toFixed(3);
  return `${median(quotients).toFixed(3)} (${at(0.025)}–${at(0.975)})`;
}

for (let start = 0; start < Number(values.starts); start++) await measureAll(start);
for (const [work, all] of seen) {
  const µs = [...all].map(([name, figures]) => `${name} ${Math.round(median(figures))} µs`).join(', ');
  const ratios = [...all]
    .filter(([name]) => name !== 'this')
    .map(([name, figures]) => `: ${name} ${compare(all.get('this') ?? [], figures)}`);
  console.log(`${work.padEnd(10)} ${µs}; this ${ratios.join(', ')}`);
}
process.exit(0);
