import { Api, ApiError } from './core/api.js';
import { store, stored } from './core/stored.js';
import { Alert, closed, field, form, h } from './core/ui.js';
import { t } from './core/translate.js';
import type { Shell } from './shell.js';

const MAX_NAME = 200;

/**
 * Asks for the key and the operator's name.
 *
 * @param signedIn called when the service knows the key
 * @param signOut a button, if only the key is asked for, which `signedIn` stores
 */
export function signIn(signedIn: (projects: string[], key: string) => unknown, reason?: string, signOut?: HTMLElement) {
  const alert = new Alert();
  const key = h('input', { type: 'password', required: true, autocomplete: 'off', spellcheck: false });
  const name = h('input', { required: true, maxLength: MAX_NAME, autocomplete: 'name', value: stored('name') ?? '' });
  name.readOnly = signOut !== undefined;
  const submit = async () => {
    const [given, own] = [key.value.trim(), name.value.trim()];
    if (!given || !own) return;
    await alert.run(async () => {
      const { projects } = await projectsOf(given);
      if (!signOut) {
        store('key', given);
        store('name', own);
      }
      await signedIn(projects, given);
    });
  };
  const element = h(
    signOut ? 'div' : 'main',
    { class: 'sign-in' },
    h('h1', {}, t('Console')),
    reason && h('p', { role: 'status' }, reason),
    form(
      submit,
      {},
      field(t('Key'), key, t('An operator’s key. It stays in this tab until you sign out or close it.')),
      field(t('Your name'), name, t('Users see it when you answer.')),
      alert.element,
      h('button', { class: 'primary' }, t('Sign in')),
      signOut,
    ),
  );
  queueMicrotask(() => key.focus());
  return element;
}

/** Asks for another key over the page. @returns it, unless the page is over: signed out, or replaced by another */
export async function askForKey(shell: Shell, work: (projects: string[]) => undefined, signOut: () => undefined) {
  const reason = t('The key is not valid any more.');
  const dialog = h('dialog', { 'aria-label': reason });
  const leave = h('button', { type: 'button', onclick: () => dialog.close() }, t('Sign out'));
  let accepted = undefined as { key: string; projects: string[]; goesOn: boolean } | undefined;
  const accept = async (projects: string[], key: string) => {
    const goesOn = await shell.adoptKey(key, projects);
    // Whoever has closed the dialog is being asked already, and may still stay.
    if (!goesOn && !(dialog.open && (await shell.mayLeave())))
      throw new ApiError(403, 'other_key', t('This key is for another project, or allows less.'));
    accepted = { key, projects, goesOn };
    dialog.close('accepted');
  };
  dialog.append(signIn(accept, reason, leave));
  while (!accepted) {
    const closedWith = await closed(dialog, dialog.querySelector('input')!);
    if (closedWith !== 'accepted' && (await shell.mayLeave())) return signOut();
  }
  store('key', accepted.key);
  return accepted.goesOn ? accepted.key : work(accepted.projects);
}

/** @throws ApiError if the key is not valid */
export async function projectsOf(key: string): Promise<{ projects: string[] }> {
  const invalid = new ApiError(401, 'invalid_admin_key', t('This is no key of an operator.'));
  // A key with other characters cannot be sent in a header.
  if (!/^[!-~]+$/.test(key)) throw invalid;
  return new Api(key).json<{ projects: string[] }>('projects').catch((error: unknown) => {
    throw error instanceof ApiError && error.code === invalid.code ? invalid : error;
  });
}
