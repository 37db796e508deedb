import { Api, ApiError } from './core/api.js';
import { store, stored } from './core/stored.js';
import { Alert, closed, field, form, h } from './core/ui.js';
import { t } from './core/translate.js';

const MAX_NAME = 200;

/**
 * Asks for the key and the operator's name.
 *
 * @param signedIn called when the service knows the key
 * @param signOut a button, if only the key is asked for
 */
export function signIn(signedIn: (projects: string[]) => void, reason?: string, signOut?: HTMLElement): HTMLElement {
  const alert = new Alert();
  const key = h('input', { type: 'password', required: true, autocomplete: 'off', spellcheck: false });
  const name = h('input', { required: true, maxLength: MAX_NAME, autocomplete: 'name', value: stored('name') ?? '' });
  name.readOnly = signOut !== undefined;
  const submit = async () => {
    const [given, own] = [key.value.trim(), name.value.trim()];
    if (!given || !own) return;
    await alert.run(async () => {
      const { projects } = await projectsOf(given);
      store('key', given);
      store('name', own);
      signedIn(projects);
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

/** Asks for another key over the page. @returns undefined if the operator signs out instead, and may leave */
export async function askForKey(mayLeave: () => Promise<boolean>): Promise<string | undefined> {
  const reason = t('The key is not valid any more.');
  const dialog = h('dialog', { 'aria-label': reason });
  const signOut = h('button', { type: 'button', onclick: () => dialog.close() }, t('Sign out'));
  dialog.append(signIn(() => dialog.close('again'), reason, signOut));
  while ((await closed(dialog, dialog.querySelector('input')!)) !== 'again') if (await mayLeave()) return undefined;
  return stored('key');
}

/** @throws ApiError if the key is not valid */
export async function projectsOf(key: string): Promise<{ projects: string[] }> {
  // A key with other characters cannot be sent in a header.
  if (!/^[!-~]+$/.test(key)) throw new ApiError(401, 'invalid_admin_key', t('This is no key of an operator.'));
  return new Api(key).json('projects').catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'invalid_admin_key'
      ? new ApiError(401, error.code, t('This is no key of an operator.'))
      : error;
  }) as Promise<{ projects: string[] }>;
}
