import { isIP } from 'node:net';

/** The format of a setting, and how it is parsed. */
export interface Kind<T> {
  /** Follows "must be" in an error. It must not depend on the given text, which may be a secret. */
  readonly rule: string;
  /** @returns undefined for an invalid text */
  parse(text: string): T | undefined;
  /** What else is wrong with an invalid text, following the setting's name, without any of its values. */
  faultOf?(text: string): string | undefined;
}

/** The database: a MongoDB server, or the embedded store in a directory (`:memory:` keeps nothing). */
export type DatabaseLocation = { kind: 'mongodb'; uri: string } | { kind: 'embedded'; path: string };

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Maximum number of trusted proxy hops. */
const MAX_HOPS = 10;

export const text = (rule: string): Kind<string> => ({ rule, parse: (given) => given });

export const integer = (min: number, max: number): Kind<number> => ({
  rule: `a whole number from ${min} to ${max}`,
  parse(given) {
    const value = /^\d{1,10}$/.test(given) ? Number(given) : NaN;
    return value >= min && value <= max ? value : undefined;
  },
});

export const visibleAscii = (min: number, max: number): Kind<string> => ({
  rule: `${min} to ${max} visible ASCII characters`,
  parse: (given) => (given.length >= min && given.length <= max && /^[!-~]+$/.test(given) ? given : undefined),
});

export const onOrOff: Kind<boolean> = {
  rule: 'on or off',
  parse: (given) => (given === 'on' ? true : given === 'off' ? false : undefined),
};

export const autoOrOff: Kind<'auto' | 'off'> = {
  rule: 'auto or off',
  parse: (given) => (given === 'auto' || given === 'off' ? given : undefined),
};

export const logLevel: Kind<LogLevel> = {
  rule: `one of ${LOG_LEVELS.join(', ')}`,
  parse: (given) => LOG_LEVELS.find((level) => level === given),
};

/** Without trailing slashes. */
export const httpUrl: Kind<string> = {
  rule: 'an http or https URL without query or fragment',
  parse(given) {
    const url = parseUrl(given);
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
      return undefined;
    return withoutTrailingSlashes(url.href);
  },
};

export const databaseLocation: Kind<DatabaseLocation> = {
  rule: 'mongodb://…, mongodb+srv://…, embedded:PATH or embedded::memory:',
  parse(given) {
    if (/^mongodb(\+srv)?:\/\/./.test(given))
      return unsafeOptionsOf(given).length > 0 ? undefined : { kind: 'mongodb', uri: given };
    const path = /^embedded:(.+)$/.exec(given)?.[1];
    return path === undefined ? undefined : { kind: 'embedded', path };
  },
  faultOf(given) {
    const unsafe = given.startsWith('mongodb') ? unsafeOptionsOf(given) : [];
    return unsafe.length === 0 ? undefined : `must not have the option ${unsafe.join(' or ')}`;
  },
};

/** Names that all satisfy a condition. */
export const names = (rule: string, isName: (name: string) => boolean): Kind<readonly string[]> => ({
  rule,
  parse(given) {
    const found = itemsOf(given);
    return found.every(isName) ? found : undefined;
  },
});

/** Options of a connection string with which acknowledged data could be lost, or reads could miss what was written. */
const UNSAFE_OPTIONS: readonly { name: string; names: string; isUnsafe(value: string): boolean }[] = [
  { name: 'w=0', names: 'w', isUnsafe: (value) => value !== '' && Number(value) === 0 },
  { name: 'journal=false', names: 'journal|j', isUnsafe: (value) => value === 'false' },
  {
    name: 'readPreference other than primary and primaryPreferred',
    names: 'readpreference',
    isUnsafe: (value) => value !== 'primary' && value !== 'primarypreferred',
  },
  { name: 'readConcernLevel=available', names: 'readconcernlevel', isUnsafe: (value) => value === 'available' },
];

function unsafeOptionsOf(uri: string): string[] {
  const options = [...new URLSearchParams(uri.slice(uri.indexOf('?') + 1 || uri.length))].map((pair) =>
    pair.map((part) => part.trim().toLowerCase()),
  );
  return UNSAFE_OPTIONS.filter(({ names, isUnsafe }) =>
    options.some(([name, value]) => names.split('|').includes(name!) && isUnsafe(value!)),
  ).map(({ name }) => name);
}

/** Empty items are dropped. */
export const list = (rule: string): Kind<readonly string[]> => ({
  rule,
  parse: (given) => itemsOf(given).filter(Boolean),
});

export const origins: Kind<readonly string[]> = {
  rule: '* or a comma-separated list of origins such as https://example.org or capacitor://localhost',
  parse(given) {
    if (given === '*') return ['*'];
    const found = itemsOf(given).map(originOf);
    return found.every((origin) => origin !== undefined) ? found : undefined;
  },
};

/** The origin of a page, as browsers send it. The URL standard knows none of apps and extensions. */
function originOf(given: string): string | undefined {
  const url = given.includes('*') ? undefined : parseUrl(given);
  if (!url || url.origin !== 'null') return url?.origin;
  const isOpaque = !url.host || url.username || url.password || !/^\/?$/.test(url.pathname) || url.search || url.hash;
  return isOpaque ? undefined : `${url.protocol}//${url.host}`;
}

/** HTTP tokens: names of methods and headers. */
export const tokens = (rule: string): Kind<readonly string[]> =>
  names(rule, (item) => /^[A-Za-z0-9-]{1,64}$/.test(item));

export const hosts: Kind<readonly string[]> = {
  rule: '* or a comma-separated list of host names and addresses, without ports',
  parse(given) {
    const found = itemsOf(given.toLowerCase());
    return found.every((item) => item === '*' || isIP(item) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(item))
      ? found
      : undefined;
  },
};

/** The values of Fastify's `trustProxy`. */
export const trustedProxies: Kind<string | number | boolean> = {
  rule: `true, false, a number of hops (1–${MAX_HOPS}), or a comma-separated list of addresses, ranges, loopback, linklocal, uniquelocal`,
  parse(given) {
    if (given === 'true' || given === 'false') return given === 'true';
    if (/^\d+$/.test(given)) return Number(given) >= 1 && Number(given) <= MAX_HOPS ? Number(given) : undefined;
    const found = itemsOf(given);
    return found.every(isProxyAddress) ? found.join(',') : undefined;
  },
};

function isProxyAddress(item: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(item)) return true;
  const [address = '', range, ...rest] = item.split('/');
  const family = isIP(address);
  if (!family || rest.length > 0) return false;
  return range === undefined || (/^\d{1,3}$/.test(range) && Number(range) <= (family === 4 ? 32 : 128));
}

/** An empty text has no items. */
function itemsOf(given: string): string[] {
  return given === '' ? [] : given.split(',').map((item) => item.trim());
}

function parseUrl(given: string): URL | undefined {
  return URL.canParse(given) ? new URL(given) : undefined;
}

function withoutTrailingSlashes(given: string): string {
  let end = given.length;
  while (given[end - 1] === '/') end--;
  return given.slice(0, end);
}
