import { CALLS } from '../../dist/cli/cli.commands.js';
import { table } from './markdown.mjs';

/** Flags are code in Markdown. */
const withCode = (text) => text.replace(/--[a-z-]+/g, '`$&`');

/** The commands of the command line, as its usage text has them. */
export const renderCommands = () =>
  table(
    ['Command', 'What it does'],
    CALLS.map(({ call, does }) => [`\`${call}\``, withCode(does)]),
  );
