import { URL_PATTERN } from './url-pattern.js';

/** Also directly after letters of a script without spaces, unlike the linkifier's own search. */
const SCHEME = /(?<![A-Za-z0-9])https?:\/\//gi;

/** Changes the bare URLs of a text. */
export function replaceUrls(text: string, change: (url: string) => string): string {
  let result = '';
  let end = 0;
  for (const { index, 0: scheme } of text.matchAll(SCHEME)) {
    if (index < end) continue;
    const colon = index + scheme.indexOf(':') + 1;
    URL_PATTERN.lastIndex = colon;
    if (!URL_PATTERN.test(text)) continue;
    result += text.slice(end, index);
    end = URL_PATTERN.lastIndex;
    // The linkifier counts the end of emphasis around a URL as part of it.
    while ('*_~'.includes(text[end - 1]!)) end--;
    result += change(text.slice(index, end));
  }
  return result + text.slice(end);
}
