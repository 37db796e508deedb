import { readFileSync } from 'node:fs';
import * as util from 'node:util';

/** The comment at the top of a script, as its help. */
export function helpOf(script) {
  const [, comment = ''] = /^\/\*\*\n([^]*?)\n \*\/\n/.exec(readFileSync(script, 'utf8')) ?? [];
  return comment.replace(/^ \* ?/gm, '');
}

/**
 * Node's `parseArgs` for scripts: `--help` prints the comment at the top, and a mistake ends the script with one sentence.
 *
 * @type {typeof util.parseArgs}
 */
export const parseArgs = (config) => {
  if (process.argv.slice(2).includes('--help')) {
    console.log(helpOf(process.argv[1]));
    process.exit(0);
  }
  try {
    return util.parseArgs(config);
  } catch (error) {
    if (!/^ERR_PARSE_ARGS/.test(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
    fail(/** @type {Error} */ (error).message);
  }
};

/** Ends the script, which was called in a wrong way. @returns {never} */
export function fail(message) {
  console.error(message);
  process.exit(2);
}
