import { dateText, numberText } from '../core/format.js';
import type { Delivery, QualityReport, Statistics, UsageDetails } from '../core/types.js';
import { Alert, daysField, h, table } from '../core/ui.js';
import type { PageView, Workplace } from '../workplace.js';
import { barChart } from './bar-chart.js';
import { t } from '../core/translate.js';

const DAYS = [1, 7, 30, 90, 400];
const DAY_MS = 86_400_000;
const DELIVERIES = 20;

const SUMS = ['turns', 'prompt_tokens', 'completion_tokens', 'seconds_heard', 'seconds_spoken', 'tool_calls'] as const;

/** What was used, how avatars answered, and what webhooks got. */
export function overview({ api, project_id, access }: Workplace): PageView {
  const alert = new Alert();
  const result = h('div');

  async function load(days: number, signal: AbortSignal): Promise<void> {
    result.replaceChildren();
    const query = { days };
    const path = `projects/${project_id}`;
    const [statistics, { days: usage }, { deliveries }, quality] = await Promise.all([
      api.json<Statistics>(`${path}/statistics`, { query, signal }),
      api.json<{ days: UsageDetails[] }>(`${path}/usage`, { query, signal }),
      api.json<{ deliveries: Delivery[] }>('deliveries', { query: { project_id }, signal }),
      access.owner ? api.json<QualityReport>(`${path}/quality`, { query, signal }) : undefined,
    ]);
    result.replaceChildren(
      figures(statistics),
      turnsByDay(usage, days),
      usageTable(usage),
      ...(quality ? qualityTables(quality) : []),
      deliveryTable(deliveries),
    );
  }

  return {
    title: t('Overview'),
    element: h('div', { class: 'page' }, daysField(DAYS, 30, alert, load), alert.element, result),
  };
}

function figures({ messages, users, turns, sessions }: Statistics): HTMLElement {
  const each = {
    [t('Messages')]: messages,
    [t('Users')]: users,
    [t('Turns')]: turns,
    [t('Open sessions')]: sessions,
  };
  return h(
    'dl',
    { class: 'figures' },
    ...Object.entries(each).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, numberText(value)))),
  );
}

function turnsByDay(usage: readonly UsageDetails[], days: number): HTMLElement {
  const turns = new Map<string, number>();
  for (let n = days - 1; n >= 0; n--) turns.set(new Date(Date.now() - n * DAY_MS).toISOString().slice(0, 10), 0);
  for (const { day, turns: count } of usage) turns.set(day, (turns.get(day) ?? 0) + count);
  return barChart(
    t('Turns by day (UTC)'),
    [...turns].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function usageTable(usage: readonly UsageDetails[]): HTMLElement {
  const sums = new Map<string, Record<(typeof SUMS)[number], number> & { name: string; engine: string }>();
  for (const each of usage) {
    const key = `${each.avatar_id} ${each.engine}`;
    const zero = {
      turns: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      seconds_heard: 0,
      seconds_spoken: 0,
      tool_calls: 0,
    };
    const sum = sums.get(key) ?? { name: each.avatar_id, engine: each.engine, ...zero };
    for (const field of SUMS) sum[field] += each[field];
    sums.set(key, sum);
  }
  if (sums.size === 0) return h('p', { class: 'note' }, t('No avatar was used in this period.'));
  const heads = [
    'Avatar',
    'Engine',
    'Turns',
    'Tokens in',
    'Tokens out',
    'Seconds heard',
    'Seconds spoken',
    'Tool calls',
  ] as const;
  const rows = [...sums.values()].map(({ name, engine, ...sum }) => [
    name,
    engine,
    ...SUMS.map((field) => numberText(sum[field])),
  ]);
  return table(t('Usage by avatar'), heads, rows, [2, 3, 4, 5, 6, 7]);
}

function qualityTables({ avatars, questions }: QualityReport): HTMLElement[] {
  const numbers = (values: number[]) => values.map(numberText);
  const rows = avatars.map(({ avatar_id, language_code, answered, dodged, failed, refused }) => [
    avatar_id,
    language_code,
    ...numbers([answered, dodged, failed, refused]),
  ]);
  const heads = ['Avatar', 'Language', 'Answered', 'Did not know', 'Failed', 'Refused'] as const;
  const asked = questions?.map(({ question, avatar_id, language_code, times }) => [
    question,
    avatar_id,
    language_code,
    numberText(times),
  ]);
  return [
    ...(rows.length > 0 ? [table(t('Answers'), heads, rows, [2, 3, 4, 5])] : []),
    ...(asked?.length
      ? [table(t('Questions without an answer'), ['Question', 'Avatar', 'Language', 'Times'], asked, [3])]
      : []),
  ];
}

function deliveryTable(deliveries: readonly Delivery[]): HTMLElement {
  if (deliveries.length === 0) return h('p', { class: 'note' }, t('No webhook was called.'));
  const counts = (state: string) => deliveries.filter((delivery) => delivery.state === state).length;
  const rows = deliveries
    .slice(0, DELIVERIES)
    .map(({ date, webhook, type, state, attempts, status, error }) => [
      dateText(date),
      webhook,
      type,
      state,
      numberText(attempts),
      String(status ?? error ?? ''),
    ]);
  const caption = t(
    'Newest deliveries ({0} pending, {1} dead of {2})',
    counts('pending'),
    counts('dead'),
    deliveries.length,
  );
  return table(caption, ['Date', 'Webhook', 'Event', 'State', 'Attempts', 'Response'], rows, [4]);
}
