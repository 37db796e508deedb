/** A command of the command line: what it does, and what it takes besides `--help`. */
export interface Command {
  readonly does: string;
  readonly project?: true;
  readonly file?: 'optional' | 'required';
  readonly owner?: true;
  /** --project, which may be left out; */
  readonly inProject?: true;
  /** unless there is no identifier of a delivery. One of the two there must be. */
  readonly delivery?: true;
  /** Name of a model. */
  readonly model?: 'optional' | 'required';
  readonly skipBad?: true;
  readonly erase?: true;
  readonly keepMessages?: true;
}

/** Flags, by what a command takes them as. */
export const FLAGS = { 'skip-bad': 'skipBad', erase: 'erase', 'keep-messages': 'keepMessages' } as const;

/** Every command. The usage text and the table in docs/command-line.md are generated from this one. */
export const COMMANDS = {
  'project list': { does: 'list the identifiers of the projects, one per line' },
  'project show': { does: 'print a project as JSON, with its key', project: true },
  'project add': {
    does: 'add a project; --keep-messages: with the messages that a removed one left',
    project: true,
    keepMessages: true,
  },
  'project remove': {
    does: 'remove a project; its messages stay unless --erase erases them',
    project: true,
    erase: true,
  },
  'catalogue apply': { does: 'apply a catalogue file, completely or not at all', file: 'optional' },
  'catalogue export': { does: 'write the catalogue', file: 'optional' },
  'messages import': {
    does: 'import JSON lines, all or none; --skip-bad: all valid ones',
    file: 'required',
    skipBad: true,
  },
  'messages export': { does: "write a user's messages as JSON lines, oldest first", owner: true },
  'messages erase': { does: "erase a user's messages and sessions", owner: true },
  'token issue': { does: 'issue a token', owner: true },
  migrate: { does: "bring the data into this release's form, as every start does" },
  'webhooks log': { does: 'print webhook deliveries as JSON lines, newest first', inProject: true },
  'webhooks retry': {
    does: "retry a delivery, by its id in the log, or a project's dead deliveries",
    delivery: true,
    inProject: true,
  },
  'speech install': { does: 'install a model, by default the one for English speech recognition', model: 'optional' },
  'speech list': { does: 'list the models that can be installed, and whether they are' },
  'speech remove': { does: 'remove a model', model: 'required' },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;
/** Commands for models, which need no database. */
export type SpeechCommand = Extract<CommandName, `speech ${string}`>;

/** How each command is called, such as `project show ID`, and what it does. */
export const CALLS = Object.entries<Command>(COMMANDS).map(([name, command]) => ({
  call: [name, ...wordsOf(command)].join(' '),
  does: command.does,
}));

function wordsOf({ project, file, model, owner, inProject, delivery, ...flags }: Command): string[] {
  return [
    project ? 'ID' : '',
    delivery ? '(ID | --project P)' : inProject ? '[--project P]' : '',
    file === 'required' ? 'FILE' : file ? '[FILE]' : '',
    model === 'required' ? 'NAME' : model ? '[NAME]' : '',
    owner ? '--project P --user U' : '',
    ...Object.entries(FLAGS).map(([flag, name]) => (flags[name] ? `[--${flag}]` : '')),
  ].filter(Boolean);
}

const WIDTH = Math.max(...CALLS.map(({ call }) => call.length)) + 2;

export const USAGE = `Usage: npm run --silent cli -- COMMAND   (or: node dist/cli.js COMMAND)

${CALLS.map(({ call, does }) => `  ${call.padEnd(WIDTH)}${does}\n`).join('')}
Without FILE, or with -: standard input or output.
Results go to standard output, everything else to standard error.
Exit status: 0 success, 1 failure, 2 usage error. Settings are the service's: the environment, and .env.
`;
