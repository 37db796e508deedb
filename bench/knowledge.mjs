/**
 * Measures the search in documents: processor time of a question over 10,000 passages, of indexing, and memory. The
 * passages are made of the words of the shipped documents, with as many further words as a large base has.
 *
 *   npm run bench -- knowledge
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassageIndex } from 'avatar-chat-knowledge';

const PASSAGES = 10_000;
const WORDS = 120;
const VOCABULARY = 40_000;
const QUESTIONS = 1_000;

const folders = ['ada', 'bruno', 'mira'].map((avatar) => join('catalogue/knowledge', avatar, 'en'));
const text = folders.flatMap((folder) => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')));
const words = text.join(' ').match(/\p{L}+/gu) ?? [];

let seed = 1;
const random = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
/** One of {@link VOCABULARY}, of which few are frequent and many rare. */
const anOddWord = (n = Math.floor(VOCABULARY * random() ** 3)) => `${words[n % words.length]}${n.toString(36)}`;
const aWord = () => (random() < 0.5 ? words[Math.floor(random() * words.length)] : anOddWord());
const say = (count) => Array.from({ length: count }, aWord).join(' ');
const passages = Array.from({ length: PASSAGES }, () => ({ heading: say(5), text: say(WORDS), language: 'en' }));
const questions = Array.from(
  { length: QUESTIONS },
  () =>
    `${say(3)} ${words
      .slice(Math.floor(random() * 1000))
      .slice(0, 4)
      .join(' ')}`,
);

globalThis.gc?.();
const before = process.memoryUsage();
const index = new PassageIndex();
let start = process.cpuUsage();
for (let at = 0; at < PASSAGES; at += 100) index.add(`document-${at}`, passages.slice(at, at + 100));
const indexing = process.cpuUsage(start);
globalThis.gc?.();
const after = process.memoryUsage();
const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
for (const question of questions.slice(0, 50)) index.search(question, { limit: 5 });
start = process.cpuUsage();
for (const question of questions) index.search(question, { limit: 5, language: 'en' });
const searching = process.cpuUsage(start);

const ms = ({ user, system }) => (user + system) / 1000;
console.log(`question over ${PASSAGES} passages: ${(ms(searching) / QUESTIONS).toFixed(2)} ms`);
console.log(`indexing 1,000 passages: ${((1000 * ms(indexing)) / PASSAGES).toFixed(0)} ms`);
// Their texts are in memory already: those of a base are counted too.
const texts = passages.reduce((sum, { heading, text }) => sum + heading.length + text.length, 0);
console.log(
  `memory of 1,000 passages: ${(((bytes + texts) * 1000) / PASSAGES / 2 ** 20).toFixed(2)} MiB, ${((texts * 1000) / PASSAGES / 2 ** 20).toFixed(2)} MiB of it text`,
);
console.log(
  `estimate by which a full base is refused: ${((600 * PASSAGES + 5 * texts) / PASSAGES / 1024).toFixed(2)} MiB for 1,000 passages`,
);
