/** The alert rules and the dashboard: their syntax, their tests, and that a process has the metrics they name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, directory, startService, untilReady } from '../harness.mjs';
import { finish, obtain } from './tools.mjs';

const ALERTS = 'deploy/prometheus/alerts.yaml';
const DASHBOARD = 'deploy/grafana/dashboard.json';
/** Of a scrape, not of the service. */
const OF_PROMETHEUS = 'up';

export async function checkAlerts(report) {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8'));
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const promtool = obtain('promtool');
  if (promtool) {
    const queries = join(directory, 'queries.yaml');
    const rules = shown.map((expr, n) => ({ record: `panel_${n}`, expr: expr.replace(/\$__rate_interval/g, '5m') }));
    writeFileSync(queries, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    for (const [what, args] of [
      ['promtool check rules, of the alerts', ['check', 'rules', ALERTS]],
      ['promtool check rules, of the queries of the dashboard', ['check', 'rules', queries]],
      ['promtool test rules', ['test', 'rules', 'deploy/prometheus/alerts.test.yaml']],
    ]) {
      const { ok, text } = finish(promtool, args);
      report.row(what, 'no faults', ok ? 'none' : text, ok);
    }
  }
  const service = await startService({ MONGODB_URI: 'embedded::memory:' });
  await untilReady(service.port);
  const { text = '' } = await ask(service.port, '/metrics');
  await service.stop();
  const offered = new Set([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name ?? ''));
  const named = new Set(
    [readFileSync(ALERTS, 'utf8'), ...shown].flatMap((expr) =>
      [...expr.matchAll(/\b([a-z_]+)\{/g)].map(([, name = '']) => name.replace(/_(count|bucket|sum)$/, '')),
    ),
  );
  const unknown = [...named].filter((name) => name !== OF_PROMETHEUS && !offered.has(name));
  const seen = `${named.size - unknown.length} of ${named.size}${unknown.length ? `, not ${unknown}` : ''}`;
  report.row('Metrics of the alerts and the dashboard that a process has', 'all', seen, unknown.length === 0);
  // An increase from nothing to one is none to Prometheus.
  const fromZero = /^webhook_attempts_total\{result="dead"\} 0$/m.test(text);
  report.row('The first webhook that is given up is an increase', 'yes', fromZero ? 'yes' : 'no', fromZero);
}
