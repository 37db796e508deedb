import { parseArgs } from 'node:util';
import { UsageError } from './cli.errors.js';

export const USAGE = `Usage: npm run --silent cli -- COMMAND   (or: node dist/cli.js COMMAND)

  project list                            identifiers of the projects, one a line
  project show ID                         a project as JSON, with its key
  project add ID [--keep-messages]        add one that offers what the default project offers; --keep-messages: with
                                          the messages that a removed one of that name has left
  project remove ID [--erase]             remove one; its messages stay unless --erase erases them
  catalogue apply [FILE]                  apply a catalogue file, all of it or nothing; without FILE: standard input
  catalogue export [FILE]                 write the catalogue to FILE; without FILE: to standard output
  messages import FILE [--skip-bad]       import JSON lines, all of them or none; --skip-bad: those that are good
  messages export --project P --user U    write a user's messages as JSON lines, oldest first
  messages erase --project P --user U     erase a user's messages and sessions
  token issue --project P --user U        issue a token
  webhooks log [--project P]              what was sent to webhooks and what is to be, as JSON lines, newest first
  webhooks retry ID                       try a delivery again, by its id in the log
  webhooks retry --project P              try all of a project's again that were given up

Results go to standard output, everything else to standard error.
Exit status: 0 done, 1 failed, 2 wrong call. Settings are the service's: the environment, and .env.
`;

/** What each command takes, besides `--help`. */
const COMMANDS = {
  'project list': {},
  'project show': { project: true },
  'project add': { project: true, keepMessages: true },
  'project remove': { project: true, erase: true },
  'catalogue apply': { file: 'optional' },
  'catalogue export': { file: 'optional' },
  'messages import': { file: 'required', skipBad: true },
  'messages export': { owner: true },
  'messages erase': { owner: true },
  'token issue': { owner: true },
  'webhooks log': { inProject: true },
  'webhooks retry': { delivery: true, inProject: true },
} as const satisfies Record<string, Takes>;

interface Takes {
  project?: true;
  file?: 'optional' | 'required';
  owner?: true;
  /** --project, which may be left out; */
  inProject?: true;
  /** unless there is no identifier of a delivery. One of the two there must be. */
  delivery?: true;
  skipBad?: true;
  erase?: true;
  keepMessages?: true;
}

/** Flags, by what a command takes them as. */
const FLAGS = { 'skip-bad': 'skipBad', erase: 'erase', 'keep-messages': 'keepMessages' } as const;
type Flag = keyof typeof FLAGS;

export type CommandName = keyof typeof COMMANDS;

/** A call that has what its command takes, and nothing else. Its identifiers have not been looked at. */
export interface Call {
  command: CommandName;
  /** Of `project …`, or with --project; otherwise empty, as is the user without --user. */
  project_id: string;
  user_id: string;
  /** Of a delivery. */
  id?: string;
  /** Undefined where it is left out, or `-`: the standard input or output. */
  file?: string;
  skipBad: boolean;
  /** Of `project remove`. */
  erase: boolean;
  /** Of `project add`. */
  keepMessages: boolean;
}

/** @throws UsageError */
export function parseCall(args: readonly string[]): Call | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [room = '', verb = '', operand, ...more] = positionals;
  if (!room) throw new UsageError('There is no command.');
  const command = `${room} ${verb}`.trim() as CommandName;
  if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`There is no command '${command}'.`);
  const takes: Takes = COMMANDS[command];
  if (more.length > 0 || (operand !== undefined && !takes.project && !takes.file && !takes.delivery)) {
    throw new UsageError(`'${command}' was given too much.`);
  }
  for (const [flag, name] of Object.entries(FLAGS)) {
    if (values[flag as Flag] && !takes[name]) throw new UsageError(`'${command}' takes no --${flag}.`);
  }
  if (!takes.owner && (values.user || (values.project && !takes.inProject))) {
    throw new UsageError(`'${command}' takes no ${takes.inProject ? '--user' : '--project or --user'}.`);
  }
  if (takes.file === 'required' && !operand) throw new UsageError(`'${command}' needs a FILE.`);
  if (takes.project && !operand) throw new UsageError(`'${command}' needs an ID.`);
  if (takes.owner && ![values.project, values.user].every((given) => given?.length === 1 && given[0])) {
    throw new UsageError(`'${command}' needs --project and --user, once each.`);
  }
  if (takes.inProject && values.project && !(values.project.length === 1 && values.project[0])) {
    throw new UsageError(`'${command}' takes one --project.`);
  }
  if (takes.delivery && Boolean(operand) === Boolean(values.project)) {
    throw new UsageError(`'${command}' needs an ID or a --project.`);
  }
  return {
    command,
    project_id: (takes.project ? operand : values.project?.[0]) ?? '',
    user_id: values.user?.[0] ?? '',
    id: takes.delivery ? operand : undefined,
    file: takes.file && operand !== '-' ? operand : undefined,
    skipBad: Boolean(values['skip-bad']),
    erase: Boolean(values.erase),
    keepMessages: Boolean(values['keep-messages']),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        // More than once is an error here, where the last would win.
        project: { type: 'string', multiple: true },
        user: { type: 'string', multiple: true },
        'skip-bad': { type: 'boolean' },
        erase: { type: 'boolean' },
        'keep-messages': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
