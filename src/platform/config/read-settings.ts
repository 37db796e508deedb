import type { Setting } from './setting.js';
import { SETTINGS, type SettingValues } from './settings.js';

/** A setting that cannot be used, and what it must be. Never its value. */
export interface SettingFault {
  name: string;
  rule: string;
}

/** Names under which settings are read, former ones included. */
export const SETTING_NAMES: ReadonlySet<string> = new Set(
  Object.entries<Setting>(SETTINGS).flatMap(([name, { formerName }]) => (formerName ? [name, formerName] : [name])),
);

/** Reads every setting. What is unset or empty has its default, and so has what cannot be used, which is a fault. */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  isProduction: boolean,
): { values: SettingValues; faults: SettingFault[] } {
  const faults: SettingFault[] = [];
  const read = ([name, setting]: [string, Setting]) => {
    const { kind, formerName = name, productionDefault } = setting;
    const used = environment[name]?.trim() ? name : formerName;
    const given = environment[used]?.trim();
    const value = given ? kind.parse(given) : undefined;
    if (given && value === undefined) faults.push({ name: used, rule: `must be ${kind.rule}` });
    const fallback = (isProduction ? productionDefault : undefined) ?? setting.default;
    return [name, value ?? (fallback === undefined ? undefined : kind.parse(fallback))];
  };
  return { values: Object.fromEntries(Object.entries<Setting>(SETTINGS).map(read)) as SettingValues, faults };
}

/** The values of a service for which nothing is set, outside production. */
export const DEFAULTS: SettingValues = readSettings({}, false).values;
