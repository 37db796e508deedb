/** Writes openapi.json from the built service, without a database. With --check, fails if the committed one differs. */
import { readFile, writeFile } from 'node:fs/promises';
import { NestFactory } from '@nestjs/core';
import { formatted } from './formatted.mjs';
import { addSamples } from './generated-docs/samples.mjs';

process.env.DATA_DIR ||= '.cache/openapi';
const { AppModule, Config, createAdapter } = await import('../dist/index.js');
const { openApiDocument } = await import('../dist/platform/openapi/index.js');

const FILE = 'openapi.json';
// Enable every optional route.
const config = new Config({ adminKey: 'x'.repeat(32) });
const app = await NestFactory.create(AppModule.for(config), createAdapter(config), { preview: true, logger: false });
const document = openApiDocument(app);
await addSamples(document);
const text = await formatted(FILE, JSON.stringify(document));

if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
} else if (text !== (await readFile(FILE, 'utf8').catch(() => ''))) {
  console.error(`${FILE} does not match the code; \`npm run openapi\` regenerates it`);
  process.exit(1);
}
process.exit(0);
