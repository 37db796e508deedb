import { dateText, numberText } from '../core/format.js';
import type { Delivery } from '../core/types.js';
import { Alert, button, confirmed, field, h, table } from '../core/ui.js';
import { t } from '../core/translate.js';
import type { PageView, Workplace } from '../workplace.js';

const SHOWN = 200;
const STATES = ['pending', 'delivered', 'dead', 'dropped'];

interface Webhook {
  name: string;
  url: string;
  events?: string[];
  secret?: string;
}

/** Where events are sent, with which secrets, and what came of it. */
export function webhooks({ api, project_id }: Workplace): PageView {
  const alert = new Alert();
  const [hooks, log] = [h('div'), h('div', { 'aria-live': 'polite' })];
  const secret = h('p', { class: 'note', role: 'status' });
  const state = h('select', {}, h('option', { value: '' }, t('All')), ...STATES.map((each) => h('option', {}, each)));

  async function list(): Promise<void> {
    const { webhooks: found = [] } = await api.json<{ webhooks?: Webhook[] }>(`projects/${project_id}`);
    const rows = found.map((each) => [each.name, each.url, each.events?.join(', ') ?? t('All'), actionsFor(each)]);
    hooks.replaceChildren(
      found.length > 0
        ? table(t('Webhooks'), ['Name', 'Address', 'Events', 'Actions'], rows)
        : h('p', { class: 'note' }, t('The project has no webhooks. Its settings add them.')),
    );
  }

  function actionsFor(hook: Webhook): HTMLElement {
    if (hook.secret === undefined) return h('span', {}, t('Its secrets are in a variable.'));
    const show = (value: string) => secret.replaceChildren(`${t('Secret of {0}', hook.name)}: `, h('code', {}, value));
    const rotate = async () => {
      const text = t('The former secret also signs for a day.');
      if (!(await confirmed(t('Give {0} a new secret?', hook.name), text, t('New secret')))) return;
      const path = `projects/${project_id}/webhooks/${hook.name}/secret`;
      const rotated = await api.json<{ secret: string }>(path, { method: 'POST' });
      await list();
      show(rotated.secret);
    };
    return h(
      'div',
      { class: 'actions' },
      button(t('Show secret'), alert, () => show(hook.secret!), {
        'aria-label': t('Show the secret of {0}', hook.name),
      }),
      button(t('New secret'), alert, rotate, { 'aria-label': t('New secret for {0}', hook.name) }),
    );
  }

  async function load(): Promise<void> {
    const { deliveries } = await api.json<{ deliveries: Delivery[] }>('deliveries', { query: { project_id } });
    const found = deliveries.filter((each) => state.value === '' || each.state === state.value);
    const rows = found
      .slice(0, SHOWN)
      .map((each) => [
        dateText(each.date),
        each.webhook,
        each.type,
        each.state,
        numberText(each.attempts),
        String(each.status ?? each.error ?? ''),
        each.next_attempt === undefined ? '' : dateText(each.next_attempt),
        retryOf(each),
      ]);
    const heads = ['Date', 'Webhook', 'Event', 'State', 'Attempts', 'Response', 'Next attempt'] as const;
    const caption = t('{0} deliveries. The newest {1} are shown.', found.length, Math.min(SHOWN, found.length));
    log.replaceChildren(
      found.length > 0
        ? table(caption, [...heads, 'Actions'], rows, [4])
        : h('p', { class: 'note' }, t('No webhook was called.')),
    );
  }

  function retryOf({ id, state, attempts, webhook }: Delivery): HTMLElement | string {
    if (state === 'delivered' || state === 'dropped' || (state === 'pending' && attempts === 0)) return '';
    return button(t('Try again'), alert, () => retry(id), {
      'aria-label': t('Try the delivery to {0} again', webhook),
    });
  }

  async function retry(id?: string): Promise<void> {
    await api.json('deliveries/retry', { method: 'POST', body: { project_id, id } });
    await load();
  }

  void alert.run(() => Promise.all([list(), load()]));
  state.addEventListener('change', () => void alert.run(load));
  return {
    title: t('Webhooks'),
    element: h(
      'div',
      { class: 'page' },
      alert.element,
      hooks,
      secret,
      h(
        'div',
        { class: 'row' },
        field(t('State'), state),
        button(t('Refresh'), alert, load),
        button(t('Try all that failed again'), alert, () => retry()),
      ),
      log,
    ),
  };
}
