/** The Helm chart: rendered with its defaults and each of `ci/*.yaml`, and refused with values that do not fit. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { directory } from '../harness.mjs';
import { finish, obtain } from './tools.mjs';

const CHART = 'deploy/chart';
const ALL = `${CHART}/ci/all-values.yaml`;

/** What `--set` changes, and what the refusal must name. */
const REFUSED = [
  ['replicaCount=0', 'replicaCount'],
  ['replicas=3', 'replicas'],
  ['image.pullPolicy=Sometimes', 'image.pullPolicy'],
  ['fullnameOverride=Avatar_Chat', 'fullnameOverride'],
  ['publicUrl=chat.example.org', 'publicUrl'],
  ['publicUrl=https://user@chat.example.org', 'publicUrl'],
  ['existingSecret=', 'existingSecret'],
  ['secretKeys={JWT_SECRET}', 'secretKeys'],
  ['secretKeys={MONGODB_URI,JWT_SECRET,jwt-secret}', 'secretKeys'],
  ['settings.RATE=5', 'settings.RATE'],
  ['settings=null', 'settings'],
  ['settings.PORT=80', 'settings'],
  ['settings.JWT_SECRET=x', 'settings.JWT_SECRET'],
  ['settings.SHUTDOWN_SECONDS=soon', 'settings.SHUTDOWN_SECONDS'],
  ['service.type=Anything', 'service.type'],
  ['service.port=70000', 'service.port'],
  ['ingress.hosts=null,ingress.hosts={}', 'ingress.hosts'],
  ['autoscaling.minReplicas=5,autoscaling.maxReplicas=4', 'autoscaling.maxReplicas'],
  ['autoscaling.targetFreeLiveSlots=4', 'autoscaling.targetFreeLiveSlots'],
  ['autoscaling.targetCPUUtilizationPercentage=0', 'autoscaling.targetCPUUtilizationPercentage'],
  ['podDisruptionBudget.maxUnavailable=few', 'podDisruptionBudget.maxUnavailable'],
  ['networkPolicy.egressPorts={0}', 'networkPolicy.egressPorts'],
];

const unquoted = (line) => line.replace(/^\s*- name: /, '').replace(/_FILE$/, '');

export function checkChart(report) {
  const helm = obtain('helm');
  if (!helm) return;
  const validator = obtain('kubernetes-validate');
  const settings = new Set(readFileSync('.env.example', 'utf8').match(/^#? ?[A-Z][A-Z0-9_]*(?==)/gm));
  const sets = [undefined, ...readdirSync(`${CHART}/ci`).map((file) => `${CHART}/ci/${file}`)];
  for (const values of sets) {
    const given = values ? ['--values', values] : [];
    const faults = [];
    const lint = finish(helm, ['lint', '--strict', CHART, ...given]);
    if (!lint.ok) faults.push(lint.text);
    const { ok, stdout, text } = finish(helm, ['template', 'chat', CHART, ...given]);
    if (!ok) faults.push(text);
    const rendered = join(directory, 'rendered.yaml');
    writeFileSync(rendered, stdout);
    if (ok && validator) {
      const valid = finish(validator, ['--strict', rendered]);
      if (!valid.ok) faults.push(valid.text);
    }
    const named = (stdout.match(/^\s*- name: [A-Z][A-Z0-9_]*$/gm) ?? []).map(unquoted);
    faults.push(
      ...named.filter((name) => !settings.has(name) && name !== 'NODE_ENV').map((name) => `no setting ${name}`),
    );
    const kinds = stdout.match(/^kind: /gm)?.length ?? 0;
    const how = `${values ?? 'defaults'}: helm lint and template${validator ? ', kubernetes-validate' : ''}`;
    report.row(how, 'no faults', faults.join('\n') || `${kinds} objects`, faults.length === 0 && kinds > 0);
  }
  const accepted = REFUSED.filter(([change, name]) => {
    const { ok, text } = finish(helm, ['template', 'chat', CHART, '--values', ALL, '--set', change]);
    if (ok || !text.includes(name)) console.log(`--set ${change}: ${ok ? 'is accepted' : text}`);
    return ok || !text.includes(name);
  });
  report.row(
    'Values that do not fit are refused, by name',
    REFUSED.length,
    REFUSED.length - accepted.length,
    accepted.length === 0,
  );
}
