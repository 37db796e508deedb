/**
 * Builds the service if there is no build or its sources are newer, so that every command works right
 * after `npm ci`.
 */
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  'src',
  'packages/catalogue/src',
  'packages/catalogue/tsconfig.build.json',
  'packages/command-line/src',
  'packages/command-line/tsconfig.build.json',
  'packages/dialogue/src',
  'packages/dialogue/tsconfig.build.json',
  'packages/errors/src',
  'packages/errors/tsconfig.build.json',
  'packages/embedded-mongo/src',
  'packages/embedded-mongo/tsconfig.build.json',
  'packages/knowledge/src',
  'packages/knowledge/tsconfig.build.json',
  'packages/media/src',
  'packages/media/tsconfig.build.json',
  'packages/model-files/src',
  'packages/model-files/tsconfig.build.json',
  'packages/models/src',
  'packages/models/tsconfig.build.json',
  'packages/realtime/src',
  'packages/realtime/tsconfig.build.json',
  'packages/runtime/src',
  'packages/runtime/tsconfig.build.json',
  'packages/settings/src',
  'packages/settings/tsconfig.build.json',
  'packages/video/src',
  'packages/video/tsconfig.build.json',
  'packages/webrtc/src',
  'packages/webrtc/tsconfig.build.json',
  'packages/client/src',
  'packages/console/src',
  'packages/console/build.mjs',
  'packages/widget/src',
  'packages/widget/build.mjs',
  'packages/widget/scripts.mjs',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/compile-service.mjs',
  'scripts/programs.mjs',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** The last file that a build writes. */
const BUILT = 'dist/programs/main.js';

const changed = (path) => statSync(path).mtimeMs;
/** A directory's modification time also reflects removed files. */
const latest = (path) =>
  statSync(path).isDirectory()
    ? Math.max(changed(path), ...readdirSync(path, { recursive: true }).map((name) => changed(join(path, name))))
    : changed(path);

if (!existsSync(BUILT) || Math.max(...SOURCES.map(latest)) > changed(BUILT)) {
  execSync('npm run --silent build', { stdio: ['ignore', 2, 2] });
}
