/**
 * Measures the service, a floor and peers on one database, and writes the results to bench/RESULTS.md.
 *
 *   npm run bench -- [--rounds 5] [--only work,depth,length,connections,turns,workers,store,start] [--longest 1000000] [--keep]
 *
 * `npm run bench -- live` is `npm run verify -- live`; `npm run bench -- knowledge` measures the search in documents and
 * what it adds to a turn, `npm run bench -- tracing` the cost of traces.
 *
 * --longest limits the histories that are read; --keep prints the results and leaves the file unchanged. Needs Linux:
 * reads processor times from /proc.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { lineChart } from './chart.mjs';
import { fill, USERS } from './data.mjs';
import { measure, median, medians } from './load.mjs';
import { startDatabase, startService as startAlone } from '../test/support/processes.mjs';
import { SECRET, startFloor, startNestSample, startParse, startService, startTutorial } from './subjects.mjs';
import { resident } from './usage.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'work,depth,length,connections,turns,workers,store,start' },
    longest: { type: 'string', default: '1000000' },
    keep: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
if (positionals.includes('live')) {
  const { status } = spawnSync(process.execPath, ['test/acceptance/live.mjs'], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
if (positionals.includes('knowledge')) {
  for (const file of ['bench/knowledge.mjs', 'bench/knowledge.turns.mjs']) {
    const { status } = spawnSync(process.execPath, ['--expose-gc', file], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  process.exit(0);
}
if (positionals.includes('tracing')) {
  const works = 'turn,chat-20,connection';
  const { status } = spawnSync(process.execPath, ['bench/compare.mjs', '--tracing', '--only', works], {
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
const sections = new Set(values.only.split(','));
const lengths = [1_000, 10_000, 100_000, 1_000_000].filter((length) => length <= Number(values.longest));
const longUser = (length) => `long-${length}`;
const DEEP = 10_000;
/** Requests until V8 has compiled what is used often: a page of 100 needs about 5,000. */
const WARM_UP = 5000;
/** Milliseconds without a request before memory at rest is measured. */
const REST = 120_000;

const out = [];
const say = (...lines) => {
  out.push(...lines);
  console.log(lines.join('\n'));
};
const µs = (ms) => String(Math.round(ms * 1000));
const ratio = (a, b) => `${(a / b).toFixed(2)} ×`;
const compared = (a, b, most) => `${ratio(a, b)} (≤ ${most}${a / b > most ? ', **missed**' : ''})`;
const table = (head, rows) =>
  say(
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map((_, i) => (i ? ' ---: ' : ' --- ')).join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  );
const progress = (text) => console.error(`… ${text}`);

/** Measures each subject in turn in each round. Returns the medians by subject name. */
async function inTurn(subjects, requestsOf, options, warmUp = options.amount / 2) {
  for (const subject of subjects) await measure(subject, requestsOf(subject), { ...options, amount: warmUp });
  const seen = new Map(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 ? subjects.toReversed() : subjects;
    for (const subject of order) seen.get(subject).push(await measure(subject, requestsOf(subject), options));
  }
  return Object.fromEntries([...seen].map(([{ name }, all]) => [name, medians(all)]));
}

// Everything runs on one server: the embedded store, as a separate process with an in-memory database.
const database = await startDatabase(':memory:', 0, { stderr: 'inherit' });
const uri = `mongodb://127.0.0.1:${database.port}/bench?directConnection=true`;
const parseUri = `mongodb://127.0.0.1:${database.port}/parse?directConnection=true`;
const dataDir = mkdtempSync(join(tmpdir(), 'bench-'));
const env = { DATA_DIR: dataDir };

progress('filling the database');
const more = Object.fromEntries(
  [...new Set([...(sections.has('depth') ? [DEEP] : []), ...(sections.has('length') ? lengths : [])])].map((length) => [
    longUser(length),
    length,
  ]),
);
const users = [...USERS, ...Object.keys(more)];
const service = await startService(uri, users, env);
const [{ path, headers }] = service.connection();
await fill(uri, more, { parseUri, catalogue: await (await fetch(service.url + path, { headers })).json() });
const floor = await startFloor(uri, users);
const tutorial = await startTutorial(uri, users);

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
say(
  '# Results',
  '',
  'Written by `npm run bench`; [README.md](README.md) says what is measured and how.',
  '',
  `Version ${version}, Node ${process.version}, ${cpus().length} processors (${cpus()[0].model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${new Date().toISOString().slice(0, 10)}. Medians of ${rounds} rounds. Load generator and database run on the same processors.`,
);

if (sections.has('work')) {
  const nest = await startNestSample(uri, users);
  const parse = await startParse(parseUri);
  /** @type {[string, (subject: any) => any, number, number, number][]} */
  const works = [
    ['GET /chat, page of 100', (s) => s.chat?.('per_page=100'), 2000, 0.35, 0.15],
    ['GET /chat, page of 20', (s) => s.chat?.('per_page=20'), 4000, 0.55, 0.19],
    ['GET /chat, 20 at depth 180', (s) => s.chat?.('per_page=20&page=10'), 4000, 0.55, 0.18],
    ['GET /connection', (s) => s.connection?.(), 4000, 1, 0.2],
    ['POST /jwt', (s) => s.jwt?.(), 10_000, 1.4, 0.12],
  ];
  const costs = [];
  const details = [];
  for (const [work, requestsOf, amount, againstFloor, againstTutorial] of works) {
    progress(work);
    const seen = await inTurn(
      [service, floor, tutorial, nest, parse].filter(requestsOf),
      requestsOf,
      { amount },
      WARM_UP,
    );
    const ms = (name) => seen[name]?.ms;
    costs.push([
      work,
      ...['service', 'floor', 'tutorial', 'nest sample', 'Parse Server'].map((name) =>
        seen[name] ? µs(ms(name)) : '',
      ),
      compared(ms('service'), ms('floor'), againstFloor),
      compared(ms('service'), ms('tutorial'), againstTutorial),
    ]);
    for (const [name, { rate, p50, p99, mib }] of Object.entries(seen))
      details.push([work, name, Math.round(rate), p50, p99, Math.round(mib)]);
  }
  say('', '## Processor time a request, in µs');
  table(
    ['Work', 'service', 'floor', 'tutorial', 'Nest sample', 'Parse Server', 'service : floor', 'service : tutorial'],
    costs,
  );
  say('## Rate, latency and memory, 16 connections');
  table(['Work', 'Program', 'requests/s', 'p50 ms', 'p99 ms', 'resident MiB'], details);
  await nest.stop();
  await parse.stop();
}

/** A table and a chart of how the cost of one thing grows with another. */
async function curve({ title, unit, points, lines, amount, file }) {
  say('', `## ${title}`);
  const series = new Map();
  const rows = [];
  for (const point of points) {
    progress(`${title}: ${point}`);
    const row = [String(point)];
    for (const [name, subject, requestsAt] of lines) {
      const requests = await requestsAt(point);
      const [{ ms }] = Object.values(await inTurn([subject], () => requests, { amount }));
      row.push(µs(ms));
      series.set(name, [...(series.get(name) ?? []), [point, ms * 1000]]);
    }
    rows.push(row);
  }
  table([unit, ...lines.map(([name]) => `${name}, µs`)], rows);
  if (!values.keep)
    writeFileSync(`bench/${file}`, lineChart({ title, x: unit, y: 'processor µs per request', series }));
  say(`![${title}](${file})`, '');
}

if (sections.has('depth')) {
  const user = [longUser(DEEP)];
  /** The `_id` of the last message before a page. */
  const before = async (page) => {
    const [{ path, headers }] = service.chat(`per_page=1&page=${(page - 1) * 20}`, user);
    const { payload } = /** @type {any} */ (await (await fetch(service.url + path, { headers })).json());
    return payload[0]._id;
  };
  await curve({
    title: `A page of 20 of ${DEEP} messages, by its number`,
    unit: 'page',
    points: [2, 10, 50, 200, 500],
    lines: [
      ['service, before', service, async (page) => service.chat(`per_page=20&before=${await before(page)}`, user)],
      ['service', service, (page) => service.chat(`per_page=20&page=${page}`, user)],
      ['floor', floor, (page) => floor.chat(`per_page=20&page=${page}`, user)],
      ['tutorial', tutorial, (page) => tutorial.chat(`per_page=20&page=${page}`, user)],
    ],
    amount: 1000,
    file: 'depth.svg',
  });
}

if (sections.has('length')) {
  const line = (subject) => (length) => subject.chat('per_page=100', [longUser(length)]);
  await curve({
    title: 'The newest 100 messages, by the length of the history',
    unit: 'messages',
    points: lengths,
    lines: [
      ['service', service, line(service)],
      ['floor', floor, line(floor)],
    ],
    amount: 1000,
    file: 'length.svg',
  });
}

if (sections.has('connections')) {
  say('', '## A page of 20, by the number of connections');
  const rows = [];
  for (const connections of [1, 16, 64, 256, 512]) {
    progress(`${connections} connections`);
    const seen = await inTurn([service, floor], (s) => s.chat('per_page=20'), { amount: 4096, connections }, WARM_UP);
    for (const [name, { ms, rate, p50, p99, mib }] of Object.entries(seen))
      rows.push([String(connections), name, µs(ms), Math.round(rate), p50, p99, Math.round(mib)]);
  }
  table(['Connections', 'Program', 'µs per request', 'requests/s', 'p50 ms', 'p99 ms', 'resident MiB'], rows);
}

// Last, because it adds messages to the histories.
if (sections.has('turns')) {
  progress('turns');
  say('', '## POST /chat, a scripted avatar');
  const { service: seen } = await inTurn([service], (s) => s.turn(), { amount: 3000 }, WARM_UP);
  table(
    ['Work', 'µs per request', 'requests/s', 'p50 ms', 'p99 ms', 'resident MiB'],
    [
      [
        'A text turn, two messages stored',
        µs(seen.ms),
        Math.round(seen.rate),
        seen.p50,
        seen.p99,
        Math.round(seen.mib),
      ],
    ],
  );
}
await service.stop();
await floor.stop();
await tutorial.stop();

if (sections.has('workers')) {
  say('', '## By the number of workers', '');
  say(
    'Load generator and database take what the workers leave of the same processors, so the rate says less than what a',
    'request costs: workers that have a processor each serve their number divided by it.',
  );
  const rows = [];
  const works = [
    ['POST /jwt', (s) => s.jwt(), 20_000],
    ['GET /chat, page of 20', (s) => s.chat('per_page=20'), 8000],
  ];
  const alone = new Map();
  for (const workers of [1, 2]) {
    progress(`${workers} workers`);
    const subject = await startService(uri, USERS, { ...env, WORKERS: String(workers) });
    for (const [work, requestsOf, amount] of works) {
      const { service: seen } = await inTurn([subject], requestsOf, { amount, connections: 64 });
      const capacity = (workers * 1000) / seen.ms;
      if (workers === 1) alone.set(work, capacity);
      rows.push([
        work,
        String(workers),
        Math.round(seen.rate),
        µs(seen.ms),
        ((seen.rate * seen.ms) / 1000).toFixed(2),
        `${Math.round(capacity)} (${ratio(capacity, alone.get(work))})`,
        seen.p99,
        Math.round(seen.mib),
      ]);
    }
    await subject.stop();
  }
  table(
    [
      'Work',
      'Workers',
      'requests/s',
      'µs per request',
      'processors used',
      'requests/s with a processor each',
      'p99 ms',
      'resident MiB',
    ],
    rows,
  );
}
await database.stop();

if (sections.has('store')) {
  progress('embedded-mongo by itself');
  say('', '## embedded-mongo by itself', '', '```');
  say(
    execFileSync(process.execPath, ['packages/embedded-mongo/test/figures.mjs', '--messages', values.longest])
      .toString()
      .trim(),
    '```',
  );
}

if (sections.has('start')) {
  say('', '## Start and memory at rest');
  const seen = [];
  for (let round = 0; round < rounds; round++) {
    const path = mkdtempSync(join(tmpdir(), 'bench-start-'));
    for (const which of ['first', 'later']) {
      const from = performance.now();
      const started = await startAlone({ DATA_DIR: path, JWT_SECRET: SECRET });
      const seconds = (performance.now() - from) / 1000;
      await delay(3000);
      seen.push({ which, seconds, mib: resident(started.pid) });
      if (which === 'later' && round === rounds - 1) {
        progress('resting');
        await delay(REST);
        seen.push({ which: 'rested', mib: resident(started.pid) });
      }
      await started.stop();
    }
    rmSync(path, { recursive: true });
  }
  const of = (which, key) => median(seen.filter((one) => one.which === which).map((one) => one[key]));
  const row = (name, which) => [name, of(which, 'seconds').toFixed(2), Math.round(of(which, 'mib'))];
  table(
    ['Start, embedded store', 'seconds to ready', 'resident MiB 3 s later'],
    [row('first, filling the catalogue', 'first'), row('later', 'later')],
  );
  say(
    `After ${REST / 60_000} minutes without a request: ${Math.round(of('rested', 'mib'))} MiB resident. Node gives back what the start took once it rests.`,
  );
}

rmSync(dataDir, { recursive: true });
if (!values.keep)
  writeFileSync(
    'bench/RESULTS.md',
    `${out
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()}\n`,
  );
process.exit(0);
