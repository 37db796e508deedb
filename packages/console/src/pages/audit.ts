import { dateText } from '../core/format.js';
import type { AuditEntry } from '../core/types.js';
import { Alert, daysField, h, table } from '../core/ui.js';
import type { PageView, Workplace } from '../workplace.js';
import { t } from '../core/translate.js';

const DAYS = [1, 7, 30, 90, 400];

/** What operators changed. */
export function audit({ api, project_id }: Workplace): PageView {
  const alert = new Alert();
  const result = h('div', { 'aria-live': 'polite' });

  async function load(days: number, signal: AbortSignal): Promise<void> {
    result.replaceChildren();
    const { entries } = await api.json<{ entries: AuditEntry[] }>('audit', { query: { project_id, days }, signal });
    const rows = entries.map((entry) => [
      dateText(entry.date),
      entry.key,
      entry.action,
      entry.project_id ?? t('all projects'),
      entry.user_id ?? '',
      detailsOf(entry),
    ]);
    result.replaceChildren(
      entries.length > 0
        ? table(t('Changes'), ['Date', 'Key', 'Action', 'Project', 'User', 'Details'], rows)
        : h('p', { class: 'note' }, t('Nothing was changed with a key.')),
    );
  }

  return {
    title: t('Audit log'),
    element: h('div', { class: 'page' }, daysField(DAYS, 30, alert, load), alert.element, result),
  };
}

function detailsOf({ details = {} }: AuditEntry): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');
}
