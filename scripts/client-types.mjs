/** Writes the client's types from openapi.json. With --check, fails if the committed ones differ. */
import { execFileSync } from 'node:child_process';

const FILE = 'packages/client/src/openapi.ts';
const options = ['openapi.json', '--default-non-nullable=false', '--output', FILE, ...process.argv.slice(2)];
execFileSync('node_modules/.bin/openapi-typescript', options, { stdio: 'inherit' });
