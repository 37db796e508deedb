/**
 * What knowledge adds to a turn and to a process, on one database: a service whose avatar has no documents, and one whose
 * avatar answers the same question from 10,000 passages. Processor time and memory are those of the service's process.
 *
 *   npm run bench -- knowledge
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startDatabase } from '../test/support/processes.mjs';
import { measure, medians } from './load.mjs';
import { startService } from './subjects.mjs';
import { USERS } from './data.mjs';
import { resident } from './usage.mjs';

const DOCUMENTS = 10;
const PASSAGES = 1000;
const ROUNDS = 3;
const TURNS = 400;
const ADMIN_KEY = 'k'.repeat(40);
/** Of the shipped documents; each is one of many further ones. */
const words = readFileSync('catalogue/knowledge/ada/en/space.md', 'utf8').match(/\p{L}+/gu) ?? [];
let seed = 1;
const random = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
const aWord = (n = Math.floor(40_000 * random() ** 3)) => `${words[n % words.length]}${n.toString(36)}`;
const say = (count) => Array.from({ length: count }, aWord).join(' ');
const documentOf = (number) =>
  Array.from({ length: PASSAGES }, (_, at) => `## ${say(5)} ${number} ${at}\n\n${say(120)}.\n`).join('\n');

const dataDir = mkdtempSync(join(tmpdir(), 'bench-'));
const shipped = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
const subjects = {};
const database = await startDatabase(':memory:', 0, { stderr: 'inherit' });
for (const name of ['without', 'with']) {
  const file = join(dataDir, `${name}.json`);
  const knowledge = name === 'with' ? ['large'] : [];
  writeFileSync(file, JSON.stringify({ ...shipped, avatars: shipped.avatars.map((one) => ({ ...one, knowledge })) }));
  const uri = `mongodb://127.0.0.1:${database.port}/${name}?directConnection=true`;
  const env = { DATA_DIR: join(dataDir, name), CATALOGUE_FILE: file, ADMIN_KEY };
  const filling = await startService(uri, USERS, env);
  for (let number = 0; number < (name === 'with' ? DOCUMENTS : 0); number++) {
    const body = new FormData();
    body.set('file', new Blob([documentOf(number)]), `part-${number}.md`);
    const path = '/admin/knowledge/large/documents?project_id=default';
    const answer = await fetch(filling.url + path, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
  await filling.stop();
  const from = performance.now();
  const service = await startService(uri, USERS, env);
  subjects[name] = { service, seconds: (performance.now() - from) / 1000, seen: [] };
  await delay(3000);
  subjects[name].mib = resident(service.pid);
}
const turnsOf = ({ turn }, request) =>
  turn().map((one) => ({ ...one, body: JSON.stringify({ avatar_id: 'ada', request }) }));
// Neither the script nor the base answers it: the search alone is what differs.
const question = `Which ${say(6)}?`;
for (const { service } of Object.values(subjects)) await measure(service, turnsOf(service, question), { amount: 500 });
for (let round = 0; round < ROUNDS; round++)
  for (const one of Object.values(subjects))
    one.seen.push(await measure(one.service, turnsOf(one.service, question), { amount: TURNS }));
for (const [name, { seconds, mib, seen }] of Object.entries(subjects)) {
  const { ms, mib: later } = medians(seen);
  console.log(
    `${name} knowledge: ready after ${seconds.toFixed(2)} s, ${mib.toFixed(0)} MiB, ${ms.toFixed(2)} ms of processor time a turn, then ${later.toFixed(0)} MiB`,
  );
}
const [without, having] = ['without', 'with'].map((name) => medians(subjects[name].seen).ms);
console.log(`knowledge adds ${(having - without).toFixed(2)} ms to a turn`);
for (const { service } of Object.values(subjects)) await service.stop();
await database.stop();
rmSync(dataDir, { recursive: true });
