import { Api, ApiError } from './core/api.js';
import { forgetAll, stored } from './core/stored.js';
import { Shell } from './shell.js';
import { askForKey, projectsOf, signIn } from './sign-in.js';
import { h } from './core/ui.js';
import { LANGUAGE, t } from './core/translate.js';

document.documentElement.lang = LANGUAGE;
let shell: Shell | undefined;

function show(element: HTMLElement): void {
  shell?.dispose();
  shell = undefined;
  document.body.replaceChildren(element);
}

function signOut(reason?: string): undefined {
  forgetAll();
  show(signIn((projects) => work(projects), reason));
}

function work(projects: readonly string[], chosen = stored('project')): undefined {
  const [key, name] = [stored('key'), stored('name')];
  if (key === undefined || name === undefined) return signOut();
  const project_id = projects.includes(chosen ?? '')
    ? chosen!
    : (projects.find((each) => each === 'default') ?? projects[0] ?? '');
  const choose = (other: string) => work(projects, other);
  // Not for a late request of a shell that is gone.
  const api = new Api(key, async () => (shell === next ? askForKey(next, work, signOut) : undefined));
  const next: Shell = new Shell(api, projects, project_id, name, { choose, signOut });
  show(next.element);
  shell = next;
}

/** A reload keeps the sign-in. */
async function start(): Promise<void> {
  const key = stored('key');
  if (key === undefined) return signOut();
  try {
    work((await projectsOf(key)).projects);
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) show(retry(error.message));
    else signOut(t('The key is not valid any more.'));
  }
}

function retry(message: string): HTMLElement {
  const again = h('button', { type: 'button', onclick: () => void start() }, t('Try again'));
  return h('main', { class: 'sign-in' }, h('p', {}, message), again);
}

void start();
