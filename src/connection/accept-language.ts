import Negotiator from 'negotiator';

/** Of a longer header only so many ranges count: browsers send fewer than ten. */
const MAX_RANGES = 32;
const MAX_RANGE_CHARACTERS = 64;

/**
 * The language that suits an `Accept-Language` header best (RFC 9110): `de-AT` finds `de`, and `q=0` excludes.
 *
 * @param codes in order of preference where the header has none
 * @returns one of the codes as it is written there: the first without a header, or if none suits; undefined if there is none
 */
export function acceptedLanguage(header: string | undefined, codes: readonly string[]): string | undefined {
  if (header === undefined) return codes[0];
  const ranges = header.split(',', MAX_RANGES);
  const accepted = ranges.filter(({ length }) => length <= MAX_RANGE_CHARACTERS).join(',');
  return new Negotiator({ headers: { 'accept-language': accepted } }).language([...codes]) ?? codes[0];
}
