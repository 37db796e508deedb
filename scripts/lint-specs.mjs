/**
 * Runs oxlint's Jest rules on specs that it does not recognize as tests: it only knows `*.spec.ts`, not
 * `*.e2e-spec.ts` and the like. It checks copies with a matching name.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const copies = mkdtempSync(join(tmpdir(), 'lint-specs-'));
for (const folder of ['test', 'packages/client/test'])
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/-spec\.ts$/.test(name))
      cpSync(join(folder, name), join(copies, folder, name.replace(/\.([\w-]+)-spec\.ts$/, '-$1.spec.ts')));
const options = ['--config', '.oxlintrc.json', '--deny-warnings', '--format', 'unix', copies];
const { stdout, status } = spawnSync('node_modules/.bin/oxlint', options, { encoding: 'utf8' });
rmSync(copies, { recursive: true });
if (status !== 0) console.log(stdout.replaceAll(`${copies}/`, '').replace(/-([\w]+)\.spec\.ts/g, '.$1-spec.ts'));
process.exitCode = status ?? 1;
