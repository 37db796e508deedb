/** Language codes that the synthesizer names differently, or does not have. */
const NAMES: Readonly<Record<string, string>> = {
  en: 'en-us',
  'en-gb': 'en',
  zh: 'cmn',
  'zh-hk': 'yue',
  'zh-yue': 'yue',
  no: 'nb',
  nn: 'nb',
  iw: 'he',
  in: 'id',
  'es-mx': 'es-419',
};

/** The synthesizer's names for a language, the closest first: `pt-BR` is `pt-br`, or else `pt`. */
export function voicesFor(language_code: string): string[] {
  const code = language_code.toLowerCase().replaceAll('_', '-');
  if (!/^[a-z]{2,3}(-[a-z0-9]{1,8}){0,4}$/.test(code)) return [];
  const parts = code.split('-');
  const closestFirst = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
  return closestFirst.map((name) => NAMES[name] ?? name);
}
