import type { Setting } from 'avatar-chat-runtime';
import { SETTINGS, type SettingValues } from './settings.js';

/** An invalid setting and its rule. Never its value. */
export interface SettingFault {
  name: string;
  rule: string;
}

export const SETTING_NAMES: ReadonlySet<string> = new Set(Object.keys(SETTINGS));

/**
 * Reads every setting. Unset or empty ones have their default, and so have invalid ones, which are reported as faults.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  isProduction: boolean,
): { values: SettingValues; faults: SettingFault[] } {
  const faults: SettingFault[] = [];
  const read = ([name, setting]: [string, Setting]) => {
    const { kind, productionDefault } = setting;
    const given = environment[name]?.trim();
    const value = given ? kind.parse(given) : undefined;
    if (given && value === undefined) faults.push({ name, rule: kind.faultOf?.(given) ?? `must be ${kind.rule}` });
    const fallback = (isProduction ? productionDefault : undefined) ?? setting.default;
    return [name, value ?? (fallback === undefined ? undefined : kind.parse(fallback))];
  };
  return { values: Object.fromEntries(Object.entries<Setting>(SETTINGS).map(read)) as SettingValues, faults };
}

/** The development defaults of all settings. */
export const DEFAULTS: SettingValues = readSettings({}, false).values;
