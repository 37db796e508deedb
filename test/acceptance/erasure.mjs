/**
 * Runs the model test of erasure: turns, recordings, imports, sessions and sweeps of two processes, interleaved at each
 * database command, with commands that fail and processes that crash. Afterwards nothing of an erased user or
 * project may be left.
 *
 *   npm run verify -- erasure [--runs 10000] [--seed N]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { parseArgs } from '../../scripts/arguments.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const { runs, seed } = values;
console.error(`Interleavings: ${runs} from seed ${seed}`);
const started = performance.now();
const child = spawn(
  process.execPath,
  [
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    'model',
    '--runInBand',
    '--forceExit',
    '--testTimeout',
    '7200000',
  ],
  {
    env: { ...process.env, RUNS: runs, SEED: seed },
    stdio: ['ignore', process.stderr, 'inherit'],
  },
);
const [code] = await once(child, 'close');
const seconds = Math.round((performance.now() - started) / 1000);
const seen = code === 0 ? `0 in ${runs} runs, ${seconds} s` : `one, in ${seconds} s`;
console.log(
  `| Erasure and removal in random interleavings with turns, recordings, imports and crashes: traces left | 0 in 10000 runs | ${seen} | \`npm run verify -- erasure --seed ${seed}\` |`,
);
process.exitCode = code === 0 ? 0 : 1;
