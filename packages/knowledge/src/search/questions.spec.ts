import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from '../reading/document.js';
import { PassageIndex } from './passage.index.js';
import { isQuotable } from './quotes.js';

const DOCUMENTS = 'catalogue/knowledge';
const QUESTIONS = 'test/knowledge';
const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'ar', 'hi', 'zh'];
const linesOf = (file: string) => readFileSync(join(QUESTIONS, file), 'utf8').trim().split('\n');
const markdown = (language: string, document: string) => {
  const [avatar = '', file] = document.split('/');
  return readFileSync(join(DOCUMENTS, avatar, language, `${file}.md`), 'utf8');
};

/** All shipped documents in one index: a question has to find its passage among those of all avatars and languages. */
const index = new PassageIndex();
beforeAll(async () => {
  for (const path of readdirSync(DOCUMENTS, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.md')) continue;
    index.add(path, (await parseDocument(readFileSync(join(DOCUMENTS, path)), path)).passages);
  }
});

it.each(LANGUAGES)('each section of the shipped documents is a passage in its language: %s', (language) => {
  for (const avatar of readdirSync(DOCUMENTS))
    for (const file of readdirSync(join(DOCUMENTS, avatar, language))) {
      const sections = markdown(language, `${avatar}/${file.replace('.md', '')}`).match(/^## .*$/gm) ?? [];
      for (const section of sections) {
        const [match] = index.search(section.slice(3), { limit: 1, language });
        expect(match!.passage).toMatchObject({ heading: section.slice(3), language });
      }
    }
});

// A line is a document, the number of its section, and a question that it answers.
it.each(LANGUAGES)('the right passage is first for 80 %% of 40 questions, among three for 92 %%: %s', (language) => {
  const ranks = linesOf(`${language}.txt`).map((line) => {
    const [, document = '', section, question = ''] = /^(\S+) (\d+) \| (.+)$/.exec(line)!;
    const sections = markdown(language, document).match(/^## .*$/gm) ?? [];
    const heading = sections[Number(section) - 1]?.slice(3);
    return index.search(question, { limit: 3, language }).findIndex(({ passage }) => passage.heading === heading);
  });
  expect(ranks).toHaveLength(40);
  expect(ranks.filter((rank) => rank === 0).length).toBeGreaterThanOrEqual(32);
  expect(ranks.filter((rank) => rank >= 0).length).toBeGreaterThanOrEqual(37);
});

it.each(LANGUAGES)('no passage is quoted for questions about something else: %s', (language) => {
  const quoted = linesOf(`off-topic/${language}.txt`).filter((question) =>
    index.search(question, { limit: 1, language }).some((match) => isQuotable(match, question)),
  );
  expect(quoted).toEqual([]);
});
