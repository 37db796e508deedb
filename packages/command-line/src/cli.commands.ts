type Need = 'optional' | 'required';

/** Options with a value, and the placeholder of the value in the usage text. */
export const OPTIONS = {
  project: 'P',
  user: 'U',
  name: 'N',
  grace: 'HOURS',
  days: 'N',
  to: 'URI',
  output: 'DIR',
  base: 'B',
  title: 'T',
  url: 'U',
  accept: 'LICENCE',
  sha256: 'HEX',
} as const;
/** Flags, and the property that each sets. */
export const FLAGS = {
  'skip-bad': 'skipBad',
  erase: 'erase',
  'keep-messages': 'keepMessages',
  'dry-run': 'dryRun',
  all: 'all',
} as const;

/** A command of the command line: what it does, and what it takes besides `--help`. */
export interface Command {
  readonly does: string;
  readonly project?: true;
  readonly file?: Need;
  readonly options?: { readonly [option in keyof typeof OPTIONS]?: Need };
  /** What further words are; with `…`, one or more; in brackets, none is enough. */
  readonly words?: string;
  /** The identifier of a delivery, or --project. */
  readonly delivery?: true;
  readonly skipBad?: true;
  readonly erase?: true;
  readonly keepMessages?: true;
  readonly dryRun?: true;
  /** Instead of --user or the words. */
  readonly all?: true;
}

const BASE = { project: 'required', base: 'required' } as const;
const OWNER = { project: 'required', user: 'required' } as const;

/** All commands. The usage text is generated from this list. */
export const COMMANDS = {
  'project list': { does: 'list the identifiers of the projects, one per line' },
  'project show': { does: 'print a project as JSON, with its key', project: true },
  'project rotate-key': {
    does: 'give a project a new key, and print it; the old one stays valid for the grace period, by default 24 hours',
    project: true,
    options: { grace: 'optional' },
  },
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
  'users list': {
    does: 'print the users who have messages in a project as JSON lines',
    options: { project: 'required' },
  },
  quality: {
    does: 'print how the avatars of a project answered in so many days, by default 30, as JSON',
    options: { project: 'required', days: 'optional' },
  },
  usage: {
    does: 'print what the avatars of a project used in so many days, by default 30, as JSON lines',
    options: { project: 'required', days: 'optional' },
  },
  'catalogue apply': { does: 'apply a catalogue file, completely or not at all', file: 'optional' },
  'catalogue export': { does: 'write the catalogue', file: 'optional' },
  'messages import': {
    does: 'import JSON lines, all or none; --skip-bad: all valid ones',
    file: 'required',
    skipBad: true,
  },
  'messages export': {
    does: 'write the messages of a user, or of all, as JSON lines, oldest first',
    options: { project: 'required', user: 'optional' },
  },
  'messages erase': {
    does: 'erase the messages and sessions of a user, or of all',
    options: { project: 'required', user: 'optional' },
    all: true,
  },
  'knowledge add': {
    does: 'add files, or all readable files of directories, to a knowledge base, and print each document as a JSON line',
    words: 'PATH…',
    options: { ...BASE, title: 'optional', url: 'optional' },
  },
  'knowledge list': {
    does: 'print the documents of a knowledge base as JSON lines, or the names of the bases of a project',
    options: { project: 'required', base: 'optional' },
  },
  'knowledge remove': {
    does: 'remove a document from a knowledge base, or all',
    words: 'ID',
    options: BASE,
    all: true,
  },
  'knowledge search': {
    does: 'print the passages of a knowledge base that answer a question best as JSON lines, best first',
    words: 'QUERY',
    options: BASE,
  },
  'tools list': {
    does: 'ask the tool servers of a project, and print one tool per line, or why there is none',
    options: { project: 'required' },
  },
  'token issue': { does: 'issue a token', options: OWNER },
  migrate: { does: "bring the data into this release's form, as every start does" },
  'database copy': {
    does: 'copy everything to another, empty database, and verify the copy; again after an interruption to complete it',
    options: { to: 'required' },
  },
  'webhooks log': {
    does: 'print webhook deliveries as JSON lines, newest first',
    options: { project: 'optional' },
  },
  'webhooks retry': {
    does: "retry a delivery, by its id in the log, or a project's dead and failing ones",
    delivery: true,
    options: { project: 'optional' },
  },
  'webhooks rotate-secret': {
    does: 'give a webhook a new secret, and print it; the old one also signs for 24 hours',
    options: { project: 'required', name: 'required' },
  },
  'avatar render': {
    does: 'make the icons, start button and idle video of an avatar from its portrait, an SVG, beside it or in DIR',
    file: 'required',
    options: { output: 'optional' },
  },
  'speech install': {
    does: 'install what a language needs to be heard and spoken, a model by its name, or a Piper voice by its URL or path; by default recognition of English',
    words: '[TARGET…]',
    options: { accept: 'optional' },
    dryRun: true,
    all: true,
  },
  'speech list': { does: 'list the models that can be installed, and what the languages of the projects lack' },
  'speech remove': { does: 'remove a model', words: 'NAME' },
  'model install': {
    does: 'install a language model: hf:USER/REPO:QUANT, hf:USER/REPO/FILE.gguf, a URL, or a file',
    words: 'SOURCE',
    options: { name: 'optional', sha256: 'optional' },
  },
  'model list': { does: 'list the installed language models with their sizes, one per line' },
  'model remove': { does: 'remove a language model', words: 'NAME' },
  'module new': {
    does: 'write a package with a module of your own, and the packed service, to a directory, by default NAME',
    words: 'NAME',
    options: { output: 'optional' },
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;
/** Commands for models, which work without a database. */
export type SpeechCommand = Extract<CommandName, `speech ${string}`>;
type ModelCommand = Extract<CommandName, `model ${string}`>;
/** Commands that need no database. */
export type LocalCommand = Exclude<SpeechCommand, 'speech list'> | ModelCommand | 'avatar render' | 'module new';

/** The synopsis of each command, such as `project show ID`, and its description. */
export const CALLS = Object.entries<Command>(COMMANDS).map(([name, command]) => ({
  call: [name, ...wordsOf(command)].join(' '),
  does: command.does,
}));

function wordsOf({ project, file, words, delivery, options = {}, all, ...flags }: Command): string[] {
  const word = (need: Need | undefined, shown: string) => (need === 'optional' ? `[${shown}]` : need ? shown : '');
  const given = Object.entries(OPTIONS).map(([name, value]) => {
    const need = options[name as keyof typeof OPTIONS];
    const shown = `--${name} ${value}`;
    return all && need && name === 'user' ? `(${shown} | --all)` : word(need, shown);
  });
  return [
    project ? 'ID' : '',
    word(file, 'FILE'),
    ...(delivery ? ['(ID | --project P)'] : given),
    words && all ? (words.startsWith('[') ? words.replace(']', ' | --all]') : `(${words} | --all)`) : (words ?? ''),
    ...Object.entries(FLAGS).map(([flag, name]) => (name !== 'all' && flags[name] ? `[--${flag}]` : '')),
  ].filter(Boolean);
}

const WIDTH = Math.max(...CALLS.map(({ call }) => call.length)) + 2;

const SYNOPSIS =
  'Usage: npm run --silent cli -- COMMAND   (as a package: node node_modules/avatar-chat-service/dist/cli.js COMMAND)';

/** What follows the reason why a call is invalid. The commands would push the reason off the screen. */
export const SHORT_USAGE = `${SYNOPSIS}
--help lists the commands.`;

export const USAGE = `${SYNOPSIS}

${CALLS.map(({ call, does }) => `  ${call.padEnd(WIDTH)}${does}\n`).join('')}
Without FILE, or with -: standard input or output.
Results go to standard output, everything else to standard error.
Exit status: 0 success, 1 failure, 2 usage error. Settings are the service's: the environment, and .env.
`;
