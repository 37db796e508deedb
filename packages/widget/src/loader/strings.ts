/** The loader's texts: for its button, the loading state, and a failure. */
export interface LoaderStrings {
  open: string;
  close: string;
  loading: string;
  failed: string;
  retry: string;
}

const en: LoaderStrings = {
  open: 'Open chat',
  close: 'Close chat',
  loading: 'Loading…',
  failed: 'The chat could not be loaded.',
  retry: 'Try again',
};

const WORDS: Readonly<Record<string, LoaderStrings>> = {
  ar: {
    open: 'فتح المحادثة',
    close: 'إغلاق المحادثة',
    loading: 'جارٍ التحميل…',
    failed: 'تعذّر تحميل المحادثة.',
    retry: 'حاول مرة أخرى',
  },
  de: {
    open: 'Chat öffnen',
    close: 'Chat schließen',
    loading: 'Wird geladen …',
    failed: 'Der Chat konnte nicht geladen werden.',
    retry: 'Noch einmal versuchen',
  },
  en,
  es: {
    open: 'Abrir el chat',
    close: 'Cerrar el chat',
    loading: 'Cargando…',
    failed: 'No se ha podido cargar el chat.',
    retry: 'Reintentar',
  },
  fr: {
    open: 'Ouvrir le chat',
    close: 'Fermer le chat',
    loading: 'Chargement…',
    failed: 'Le chat n’a pas pu être chargé.',
    retry: 'Réessayer',
  },
  hi: {
    open: 'चैट खोलें',
    close: 'चैट बंद करें',
    loading: 'लोड हो रहा है…',
    failed: 'चैट लोड नहीं हो सकी।',
    retry: 'फिर कोशिश करें',
  },
  pt: {
    open: 'Abrir o chat',
    close: 'Fechar o chat',
    loading: 'A carregar…',
    failed: 'Não foi possível carregar o chat.',
    retry: 'Tentar de novo',
  },
  zh: { open: '打开聊天', close: '关闭聊天', loading: '正在加载…', failed: '聊天无法加载。', retry: '重试' },
};

/** The texts in a language; English as a fallback. */
export function loaderStrings(language: string): LoaderStrings {
  return WORDS[language.toLowerCase().split(/[-_]/)[0] ?? ''] ?? en;
}
