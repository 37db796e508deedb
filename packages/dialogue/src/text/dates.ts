const MONTHS_ES = 'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre';
const DATE_ES = new RegExp(`(\\d|\\p{L}) de (${MONTHS_ES})\\b`, 'giu');
const DATED_ES = new RegExp(`^(\\d{1,2}|\\p{L}{1,12}) (${MONTHS_ES})\\b`, 'iu');
const MONTHS_DE = 'januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember';
const DATE_DE = new RegExp(`\\b(\\d{1,2})\\.(?= (?:\\p{Lu}|${MONTHS_DE}))`, 'gu');
const DATED_DE = new RegExp(`^(\\d{1,2})(?= (?:\\p{Lu}|${MONTHS_DE}))`, 'u');
const DAY_ES = new RegExp(`(\\d) (${MONTHS_ES})\\b`, 'giu');

/** A text with dates as words without a stop: of German ones not the point, `am 3. Mai`, of Spanish ones not the `de`. */
export function withoutDateMarks(text: string, language: string): string {
  if (language.startsWith('es')) return text.replace(DATE_ES, '$1 $2');
  return language.startsWith('de') ? text.replace(DATE_DE, '$1') : text;
}

/** The opposite of {@link withoutDateMarks}. */
export function withDateMarks(text: string, language: string): string {
  if (language.startsWith('es')) return text.replace(DATED_ES, '$1 de $2').replace(DAY_ES, '$1 de $2');
  return language.startsWith('de') ? text.replace(DATED_DE, '$1.') : text;
}
