import { Api, ApiError } from './core/api.js';
import { forgetAll, stored } from './core/stored.js';
import { Shell } from './shell.js';
import { projectsOf, signIn } from './sign-in.js';
import { LANGUAGE, t } from './core/translate.js';

document.documentElement.lang = LANGUAGE;
let shell: Shell | undefined;

function show(element: HTMLElement): void {
  shell?.dispose();
  shell = undefined;
  document.body.replaceChildren(element);
}

function signOut(reason?: string): void {
  forgetAll();
  show(signIn(work, reason));
}

function work(projects: readonly string[], chosen = stored('project')): void {
  const [key, name] = [stored('key'), stored('name')];
  if (key === undefined || name === undefined) return signOut();
  const project_id = projects.includes(chosen ?? '')
    ? chosen!
    : (projects.find((each) => each === 'default') ?? projects[0] ?? '');
  const api = new Api(key, () => signOut(t('The key is not valid any more.')));
  const next = new Shell(api, projects, project_id, name, {
    choose: (other) => work(projects, other),
    signOut: () => signOut(),
  });
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
  const main = document.createElement('main');
  main.className = 'sign-in';
  const text = Object.assign(document.createElement('p'), { textContent: message });
  const again = Object.assign(document.createElement('button'), { type: 'button', textContent: t('Try again') });
  again.addEventListener('click', () => void start());
  main.append(text, again);
  return main;
}

void start();
