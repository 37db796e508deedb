import { SETTINGS } from 'avatar-chat-settings';

const WIDTH = 120;

/** @typedef {import('avatar-chat-runtime').Setting & { name: string }} Setting */

/** @type {Setting[]} */
const settings = Object.entries(SETTINGS).map(([name, setting]) => ({ name, ...setting }));
const groups = [...new Set(settings.map(({ group }) => group))].map((group) => ({
  group,
  members: settings.filter((setting) => setting.group === group),
}));

const secretNames = settings.filter(({ secret }) => secret).map(({ name }) => name);

const inWords = (text) => (text === '' ? 'none' : `\`${text}\``);

/** @param {Setting} setting */
function defaultOf({ default: usual, productionDefault, defaultText }) {
  if (defaultText !== undefined) return defaultText;
  return inWords(usual) + (productionDefault === undefined ? '' : `; in production ${inWords(productionDefault)}`);
}

const valueOf = (/** @type {Setting} */ { kind, unit }) => kind.rule + (unit ? `, in ${unit}` : '');
/** Removes quotes except around values with spaces. */
const plain = (markdown) => markdown.replace(/`([^` ]+)`/g, '$1');

function comment(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (`# ${lines.at(-1)} ${word}`.length > WIDTH) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines.map((line) => `# ${line}`).join('\n');
}

function example(setting) {
  const { name, description, default: usual = '', productionDefault, sample } = setting;
  const isShown = usual !== '' && productionDefault === undefined;
  const unset = isShown ? '' : ` Unset: ${plain(defaultOf(setting))}.`;
  // Only one default fits here.
  const value = sample ?? (isShown ? usual : '');
  return [comment(`${plain(description)}. Value: ${valueOf(setting)}.${unset}`), `${name}=${value}`].join('\n');
}

/** `.env.example`: every setting with its default, under a comment. */
export const renderSettingsExample = () =>
  [
    '# Every setting of the service, with its default. Copy this file to .env, which is read from the working directory;\n' +
      '# variables of the environment win over it. An empty value counts as unset.\n' +
      `# ${secretNames.join(', ')} and keys of providers may also stand in a file, named by the\n# variable with _FILE at its end. Generated: npm run docs:generate`,
    ...groups.flatMap(({ group, members }) => [`# --- ${group} ---`, ...members.map(example)]),
  ].join('\n\n') + '\n';
