import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = [
  'react@19',
  'react-dom@19',
  '@types/react@19',
  '@types/react-dom@19',
  'happy-dom@21',
  'typescript@6.0',
  '@types/node@20',
];
const OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  jsx: 'react-jsx',
};

/** Talks through the hook in React's strict mode, which mounts twice. A second component finds the history, and is removed early. */
const PROGRAM = `
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Window } from 'happy-dom';
import { StrictMode } from 'react';
import { useAvatarChat } from './hook.js';

const window = new Window();
// Node has had a navigator of its own since version 21.
const globals = { window, document: window.document, navigator: window.navigator };
for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true });
const { createRoot } = await import('react-dom/client');

let chat: ReturnType<typeof useAvatarChat> | undefined;
let isEarly = false;
const url = process.argv[2]!;
async function tokenOf(user_id: string) {
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ user_id, project_id: 'default' }) };
  return ((await (await fetch(url + '/jwt', request)).json()) as { jwt: string }).jwt;
}
function Conversation() {
  // Another function with each render.
  chat = useAvatarChat(url, 'react-1', 'ada', () => tokenOf('react-1'));
  isEarly ||= chat.answer !== '';
  return <ol>{chat.messages.map(({ _id, answer, request }) => <li key={_id}>{answer ?? request}</li>)}</ol>;
}

function mount() {
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  root.render(<StrictMode><Conversation /></StrictMode>);
  const shown = () => [...container.querySelectorAll('li')].map((item) => item.textContent ?? '');
  return { root, shown };
}
async function until(holds: () => boolean) {
  for (let left = 1000; !holds(); left--, await delay(10)) assert.ok(left > 0, String(holds));
}

const first = mount();
await until(() => chat !== undefined);
await chat!.send('Hello, who are you?');
await until(() => first.shown().length === 2);
const said = first.shown();
assert.equal(said[0], 'Hello, who are you?');
assert.notEqual(said[1], '');
assert.ok(isEarly, 'the answer is shown while it comes');
assert.equal(chat!.answer, '');
first.root.unmount();

const second = mount();
await until(() => second.shown().length === 2);
assert.deepEqual(second.shown(), said);
const cut = chat!.send('Tell me about the moon.');
second.root.unmount();
await assert.rejects(cut, { name: 'AbortError' });
`;

/**
 * Do the hook in the client's README and the component of docs/react.md compile in a React project, and does the hook hold
 * a conversation?
 *
 * @param {string} directory an empty one, for the project
 * @param {string} client the packed client
 * @param {string} url of a running service
 */
export function tryHook(directory, client, url) {
  const readme = readFileSync('packages/client/README.md', 'utf8');
  const hook = /## React\n[^]*?```tsx\n([^]*?)```/.exec(readme)?.[1];
  if (!hook) throw new Error('The README of the client has no hook');
  mkdirSync(join(directory, 'src'), { recursive: true });
  const compilerOptions = {
    ...OPTIONS,
    strict: true,
    outDir: 'dist',
    rootDir: 'src',
    skipLibCheck: true,
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  writeFileSync(join(directory, 'src/hook.tsx'), hook);
  const component = /^```tsx [^]*?\n([^]*?)^```/m.exec(readFileSync('docs/react.md', 'utf8'))?.[1];
  if (!component) throw new Error('docs/react.md has no component');
  // A bundler finds it without the extension.
  writeFileSync(join(directory, 'src/chat.tsx'), component.replace("'./hook'", "'./hook.js'"));
  writeFileSync(join(directory, 'src/main.tsx'), PROGRAM);
  const run = (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
    execFileSync(command, args, { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] });
  run(
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--silent',
    '--prefer-offline',
    '--ignore-scripts',
    ...PACKAGES,
    client,
  );
  run('npx', 'tsc');
  run(process.execPath, 'dist/main.js', url);
}
