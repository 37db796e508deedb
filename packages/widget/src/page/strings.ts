/** The links of the page's header, by language. */
const WORDS: Readonly<Record<string, { api: string; requests: string }>> = {
  ar: { api: 'واجهة البرمجة', requests: 'الطلبات' },
  de: { api: 'API', requests: 'Anfragen' },
  en: { api: 'API', requests: 'Requests' },
  es: { api: 'API', requests: 'Solicitudes' },
  fr: { api: 'API', requests: 'Requêtes' },
  hi: { api: 'API', requests: 'अनुरोध' },
  pt: { api: 'API', requests: 'Requisições' },
  zh: { api: 'API', requests: '请求' },
};

/** The links in a language; English as a fallback. */
export function pageStrings(language_code: string): { lang: string; api: string; requests: string } {
  const base = language_code.toLowerCase().split('-')[0] ?? '';
  const lang = Object.hasOwn(WORDS, base) ? base : 'en';
  return { lang, ...WORDS[lang]! };
}
