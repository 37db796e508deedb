import { parseArgs } from 'node:util';
import { type Command, type CommandName, COMMANDS, FLAGS } from './cli.commands.js';
import { UsageError } from './cli.errors.js';

type Flag = keyof typeof FLAGS;

/** A call that has what its command takes, and nothing else. Its identifiers have not been looked at. */
export interface Call {
  command: CommandName;
  /** Of `project …`, or with --project; otherwise empty, as is the user without --user. */
  project_id: string;
  user_id: string;
  /** Of a delivery. */
  id?: string;
  /** Name of a model. */
  model?: string;
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
  const takes: Command = COMMANDS[command];
  if (more.length > 0 || (operand !== undefined && !takes.project && !takes.file && !takes.model && !takes.delivery)) {
    throw new UsageError(`'${command}' was given too much.`);
  }
  for (const [flag, name] of Object.entries(FLAGS)) {
    if (values[flag as Flag] && !takes[name]) throw new UsageError(`'${command}' takes no --${flag}.`);
  }
  if (!takes.owner && (values.user || (values.project && !takes.inProject))) {
    throw new UsageError(`'${command}' takes no ${takes.inProject ? '--user' : '--project or --user'}.`);
  }
  if (takes.file === 'required' && !operand) throw new UsageError(`'${command}' needs a FILE.`);
  if (takes.model === 'required' && !operand) throw new UsageError(`'${command}' needs a NAME.`);
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
    model: takes.model ? operand : undefined,
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
