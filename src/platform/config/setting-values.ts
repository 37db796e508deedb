import { isIP } from 'node:net';
import { type DatabaseLocation, LOG_LEVELS, type LogLevel } from './config.js';
import { isSecretName } from './secret-names.js';

// What the text of a setting stands for; undefined where it cannot be used.

export const MIN_SECRET_BYTES = 32;
/** Proxies in a row that may be trusted. */
export const HOP_LIMIT = 10;

export function publicUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return undefined;
  return withoutTrailingSlashes(url.href);
}

function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

export function databaseLocation(text: string): DatabaseLocation | undefined {
  if (/^mongodb(\+srv)?:\/\/./.test(text)) return { kind: 'mongodb', uri: text };
  const path = /^embedded:(.+)$/.exec(text)?.[1];
  return path === undefined ? undefined : { kind: 'embedded', path };
}

export function origins(text: string): string[] | undefined {
  if (text === '*') return ['*'];
  const list = text.split(',').map((item) => parseUrl(item.trim())?.origin);
  return list.every((origin) => origin !== undefined && origin !== 'null') ? (list as string[]) : undefined;
}

/** Refused wherever it is too short, since a key that nobody has to guess is better than a warning. */
export function adminKey(text: string): string | undefined {
  return text.length >= MIN_SECRET_BYTES && /^[!-~]{1,512}$/.test(text) ? text : undefined;
}

export function hosts(text: string): string[] | undefined {
  const list = text.split(',').map((item) => item.trim().toLowerCase());
  return list.every((item) => item === '*' || isIP(item) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(item))
    ? list
    : undefined;
}

export function secretNames(text: string): string[] | undefined {
  const list = text.split(',').map((item) => item.trim());
  return list.every(isSecretName) ? list : undefined;
}

export function trustProxy(text: string): string | number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d+$/.test(text)) return Number(text) >= 1 && Number(text) <= HOP_LIMIT ? Number(text) : undefined;
  const items = text.split(',').map((item) => item.trim());
  return items.every(isProxyAddress) ? items.join(',') : undefined;
}

function isProxyAddress(item: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(item)) return true;
  const [address = '', range, ...rest] = item.split('/');
  const family = isIP(address);
  if (!family || rest.length > 0) return false;
  return range === undefined || (/^\d{1,3}$/.test(range) && Number(range) <= (family === 4 ? 32 : 128));
}

export function onOrOff(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined;
}

export function logLevel(text: string): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text);
}
