import Negotiator from 'negotiator';

/** Maximum number of ranges that are considered: browsers send fewer than ten. */
const MAX_RANGES = 32;
const MAX_RANGE_CHARACTERS = 64;

/**
 * The language that matches an `Accept-Language` header best (RFC 9110): `de-AT` matches `de`, and `q=0` excludes.
 *
 * @param codes in order of preference if the header states none
 * @returns one of the codes, unchanged: the first without a header, or if none matches; undefined if the list is empty
 */
export function acceptedLanguage(header: string | undefined, codes: readonly string[]): string | undefined {
  if (header === undefined) return codes[0];
  const ranges = header.split(',', MAX_RANGES);
  const accepted = ranges.filter(({ length }) => length <= MAX_RANGE_CHARACTERS).join(',');
  return new Negotiator({ headers: { 'accept-language': accepted } }).language([...codes]) ?? codes[0];
}
