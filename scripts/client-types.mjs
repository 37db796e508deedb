/** Writes the client's types from openapi.json, without its webhooks and the examples of responses. With --check, fails if the committed ones differ. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = 'packages/client/src/openapi.ts';
const API = '.cache/client-api.json';
const { webhooks, ...document } = JSON.parse(readFileSync('openapi.json', 'utf8'));
const namesIn = (part) => [...JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
const used = new Set(namesIn(document));
for (const name of namesIn(webhooks)) if (!used.has(name)) delete document.components.schemas[name];
for (const { responses } of Object.values(document.paths).flatMap((item) => Object.values(item)))
  for (const { content } of Object.values(responses))
    for (const type of Object.values(content ?? {})) delete type.example;
mkdirSync('.cache', { recursive: true });
writeFileSync(API, JSON.stringify(document));
const options = [API, '--default-non-nullable=false', '--output', FILE, ...process.argv.slice(2)];
execFileSync('node_modules/.bin/openapi-typescript', options, { stdio: 'inherit' });
