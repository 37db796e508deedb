/** Builds the service where that has not been done yet, so that the command line works right after `npm ci`. */
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!existsSync('dist/cli.js')) execSync('npm run --silent build', { stdio: ['ignore', 2, 2] });
