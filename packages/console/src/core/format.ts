import { t } from './translate.js';
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const NUMBER = new Intl.NumberFormat();
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** @param date Unix time in milliseconds, or ISO 8601 */
export const dateText = (date: number | string): string => DATE.format(new Date(date));

export const numberText = (value: number): string => NUMBER.format(Math.round(value));

/** Such as "3 minutes ago". @param date Unix time in milliseconds */
export function agoText(date: number): string {
  const passed = Date.now() - date;
  for (const [unit, length] of UNITS) if (passed >= length) return RELATIVE.format(-Math.floor(passed / length), unit);
  return t('just now');
}

export function bytesText(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${numberText(Math.max(1, bytes / 1024))} KiB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
