import { parseArgs } from 'node:util';
import { type Command, type CommandName, COMMANDS, FLAGS, OPTIONS } from './cli.commands.js';
import { UsageError } from './cli.errors.js';

type Flag = keyof typeof FLAGS;
type Option = keyof typeof OPTIONS;

const MAX_HOURS = 8760;

/** A call with the arguments that its command takes. Its identifiers have not been validated. */
export interface Call {
  command: CommandName;
  /** From `project …` or --project; otherwise empty. The user is empty without --user. */
  project_id: string;
  user_id: string;
  /** Of a delivery. */
  id?: string;
  /** Of a webhook. */
  name?: string;
  /** Connection string; may hold a password. */
  to?: string;
  /** A directory. */
  output?: string;
  /** Name of a knowledge base, and title and URL of a document. */
  base?: string;
  title?: string;
  url?: string;
  /** Hexadecimal. */
  sha256?: string;
  /** Paths, identifiers, or a question. */
  words: readonly string[];
  /** Hours. */
  grace?: number;
  days?: number;
  /** Undefined if omitted or `-`: standard input or output. */
  file?: string;
  skipBad: boolean;
  /** Of `project remove`. */
  erase: boolean;
  /** Of `project add`. */
  keepMessages: boolean;
  /** Of `speech install`: a licence that restricts use, and whether nothing is fetched. */
  accept?: string;
  dryRun: boolean;
  /** Of `messages erase`: the messages of all users. */
  all: boolean;
}

/** @throws UsageError */
export function parseCall(args: readonly string[]): Call | 'help' {
  const { values, positionals } = parse(args);
  if (values.help || positionals[0] === 'help') return 'help';
  const [noun = '', verb = '', ...words] = positionals;
  const [operand, ...more] = words;
  if (!noun) throw new UsageError('There is no command.');
  const command = `${noun} ${verb}`.trim() as CommandName;
  if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`There is no command '${command}'.`);
  const takes: Command = COMMANDS[command];
  const takesOperand = takes.project || takes.file || takes.words || takes.delivery;
  if ((more.length > 0 && !takes.words?.includes('…')) || (operand !== undefined && !takesOperand)) {
    throw new UsageError(`'${command}' was given too much.`);
  }
  for (const [flag, name] of Object.entries(FLAGS)) {
    if (values[flag as Flag] && !takes[name]) throw new UsageError(`'${command}' takes no --${flag}.`);
  }
  if (takes.file === 'required' && !operand) throw new UsageError(`'${command}' needs a FILE.`);
  if (takes.project && !operand) throw new UsageError(`'${command}' needs an ID.`);
  const given = optionsOf(command, takes, values);
  if (takes.delivery && Boolean(operand) === Boolean(given.project)) {
    throw new UsageError(`'${command}' needs an ID or a --project.`);
  }
  const isNamed = Boolean(takes.words ? operand : given.user);
  const isOptional = takes.words?.startsWith('[') && !isNamed;
  if (!isOptional && (takes.all ? isNamed === Boolean(values.all) : takes.words && !operand)) {
    const needs = takes.words ? `a ${takes.words}` : '--user';
    throw new UsageError(`'${command}' needs ${needs}${takes.all ? ' or --all' : ''}.`);
  }
  return {
    command,
    project_id: (takes.project ? operand : given.project) ?? '',
    user_id: given.user ?? '',
    id: takes.delivery ? operand : undefined,
    name: given.name,
    to: given.to,
    output: given.output,
    base: given.base,
    title: given.title,
    url: given.url,
    sha256: given.sha256 === undefined ? undefined : digestOf(given.sha256),
    words: takes.words ? words : [],
    grace: given.grace === undefined ? undefined : hoursOf(given.grace),
    days: given.days === undefined ? undefined : daysOf(given.days),
    accept: given.accept,
    dryRun: Boolean(values['dry-run']),
    file: takes.file && operand !== '-' ? operand : undefined,
    skipBad: Boolean(values['skip-bad']),
    erase: Boolean(values.erase),
    keepMessages: Boolean(values['keep-messages']),
    all: Boolean(values.all),
  };
}

/** @throws UsageError unless exactly the options of the command are given, each once */
function optionsOf(command: string, { options = {} }: Command, values: ReturnType<typeof parse>['values']) {
  const given: { [option in Option]?: string } = {};
  for (const name of Object.keys(OPTIONS) as Option[]) {
    const [value, ...more] = values[name] ?? [];
    if (value !== undefined && !options[name]) throw new UsageError(`'${command}' takes no --${name}.`);
    if (more.length > 0) throw new UsageError(`'${command}' takes one --${name}.`);
    if (options[name] === 'required' ? !value : value === '') throw new UsageError(`'${command}' needs a --${name}.`);
    given[name] = value;
  }
  return given;
}

function hoursOf(given: string): number {
  const hours = /^\d{1,4}(\.\d{1,6})?$/.test(given) ? Number(given) : NaN;
  if (hours <= MAX_HOURS) return hours;
  throw new UsageError(`--grace is a number of hours from 0 to ${MAX_HOURS}.`);
}

function digestOf(given: string): string {
  if (/^[0-9a-fA-F]{64}$/.test(given)) return given;
  throw new UsageError('--sha256 is a digest of 64 hexadecimal digits.');
}

function daysOf(given: string): number {
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given);
  throw new UsageError('--days is a whole number from 1 to 9999.');
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        // A repeated option is an error here; by default the last one would win.
        project: { type: 'string', multiple: true },
        user: { type: 'string', multiple: true },
        name: { type: 'string', multiple: true },
        grace: { type: 'string', multiple: true },
        days: { type: 'string', multiple: true },
        to: { type: 'string', multiple: true },
        output: { type: 'string', multiple: true },
        base: { type: 'string', multiple: true },
        title: { type: 'string', multiple: true },
        url: { type: 'string', multiple: true },
        accept: { type: 'string', multiple: true },
        sha256: { type: 'string', multiple: true },
        'skip-bad': { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        erase: { type: 'boolean' },
        'keep-messages': { type: 'boolean' },
        all: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
