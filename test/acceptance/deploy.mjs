/**
 * What `deploy/` ships, checked by the programs that will read it: the chart by Helm and Kubernetes' schemas, the alerts and
 * the dashboard by promtool, the proxies by nginx and Caddy with two processes behind them. Skips, with a sentence, what
 * is neither on the PATH nor to be had from Debian, PyPI or the Go module proxy.
 *
 *   npm run verify -- deploy [--only chart,alerts,proxies]
 */
import { parseArgs } from '../../scripts/arguments.mjs';
import { checkAlerts } from './deploy/alerts.mjs';
import { checkChart } from './deploy/chart.mjs';
import { checkProxies } from './deploy/proxies.mjs';
import { Report } from './harness.mjs';

const { values } = parseArgs({ options: { only: { type: 'string', default: 'alerts,proxies,chart' } } });
const PARTS = { chart: checkChart, alerts: checkAlerts, proxies: checkProxies };
const report = new Report('npm run verify -- deploy');
for (const part of values.only.split(',')) await PARTS[part](report);
report.end();
